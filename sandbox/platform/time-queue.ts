/** Something to do at a time of the world. */
export type Due = { readonly atMs: number; readonly order: number; readonly action: () => void | Promise<void>; cancelled: boolean };

export type TimeQueue = {
  add(atMs: number, action: () => void | Promise<void>): Due;
  /** The earliest entry that was not cancelled. */
  peek(): Due | undefined;
  take(): Due | undefined;
};

const comesBefore = (a: Due, b: Due): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);

const siftUp = (heap: Due[], from: number): void => {
  let child = from;
  while (child > 0) {
    const parent = (child - 1) >> 1;
    const [low, high] = [heap[child] as Due, heap[parent] as Due];
    if (!comesBefore(low, high)) return;
    heap[child] = high;
    heap[parent] = low;
    child = parent;
  }
};

const siftDown = (heap: Due[]): void => {
  let parent = 0;
  for (;;) {
    const left = parent * 2 + 1;
    const right = left + 1;
    if (left >= heap.length) return;
    const least = right < heap.length && comesBefore(heap[right] as Due, heap[left] as Due) ? right : left;
    const [above, below] = [heap[parent] as Due, heap[least] as Due];
    if (!comesBefore(below, above)) return;
    heap[parent] = below;
    heap[least] = above;
    parent = least;
  }
};

/** Entries by time, then by the order in which they were added: the same additions always come out in the same order. */
export const createTimeQueue = (): TimeQueue => {
  const heap: Due[] = [];
  let added = 0;
  const pop = (): Due | undefined => {
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || first === last) return first;
    heap[0] = last;
    siftDown(heap);
    return first;
  };
  const dropCancelled = (): void => {
    while (heap[0]?.cancelled) pop();
  };
  return {
    add: (atMs, action) => {
      const due: Due = { atMs, order: added++, action, cancelled: false };
      heap.push(due);
      siftUp(heap, heap.length - 1);
      return due;
    },
    peek: () => {
      dropCancelled();
      return heap[0];
    },
    take: () => {
      dropCancelled();
      return pop();
    },
  };
};
