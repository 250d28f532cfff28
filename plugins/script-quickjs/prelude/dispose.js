/** Explicit resource management; evaluated at first use. */
(function dispose() {
  class SuppressedError extends Error {
    constructor(error, suppressed, message) {
      super(message);
      this.error = error;
      this.suppressed = suppressed;
    }
  }
  class Stack {
    stack = [];
    done = false;
    get disposed() {
      return this.done;
    }
    defer(callback) {
      if (this.done) throw new ReferenceError('the stack is already disposed');
      this.stack.push(callback);
    }
    adopt(value, callback) {
      this.defer(() => callback(value));
      return value;
    }
    move() {
      const moved = new this.constructor();
      moved.stack = this.stack;
      this.stack = [];
      this.done = true;
      return moved;
    }
  }
  const raise = (failures) => {
    if (failures.length === 0) return;
    throw failures.reduce((before, error) => new SuppressedError(error, before));
  };
  class DisposableStack extends Stack {
    use(value) {
      if (value !== null && value !== undefined) this.defer(() => value[Symbol.dispose]());
      return value;
    }
    dispose() {
      this.done = true;
      const failures = [];
      for (const callback of this.stack.splice(0).reverse()) {
        try {
          callback();
        } catch (error) {
          failures.push(error);
        }
      }
      raise(failures);
    }
    [Symbol.dispose]() {
      this.dispose();
    }
  }
  class AsyncDisposableStack extends Stack {
    use(value) {
      if (value !== null && value !== undefined)
        this.defer(() => (value[Symbol.asyncDispose] ?? value[Symbol.dispose]).call(value));
      return value;
    }
    async disposeAsync() {
      this.done = true;
      const failures = [];
      for (const callback of this.stack.splice(0).reverse()) {
        try {
          await callback();
        } catch (error) {
          failures.push(error);
        }
      }
      raise(failures);
    }
    [Symbol.asyncDispose]() {
      return this.disposeAsync();
    }
  }
  return { DisposableStack, AsyncDisposableStack, SuppressedError };
});
