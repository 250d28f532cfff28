export { TaskHistory } from './history.tsx';
