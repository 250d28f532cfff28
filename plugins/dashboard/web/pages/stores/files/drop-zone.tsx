import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { dropped, type Incoming } from './upload.ts';

interface Props {
  readonly isOn: boolean;
  readonly folder: string;
  readonly onDropped: (files: readonly Incoming[]) => void;
  readonly children: ComponentChildren;
}

/** Area that files can be dropped on. */
export function DropZone({ isOn, folder, onDropped, children }: Props) {
  const [isOver, setOver] = useState(false);
  const hasFiles = (event: DragEvent) => isOn && event.dataTransfer?.types.includes('Files');
  return (
    <div
      class={`stores-drop ${isOver ? 'is-over' : ''}`}
      onDragOver={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={(event) => {
        setOver(false);
        const { dataTransfer } = event;
        if (!hasFiles(event) || !dataTransfer) return;
        event.preventDefault();
        void dropped(dataTransfer, folder).then(onDropped);
      }}
    >
      {children}
    </div>
  );
}
