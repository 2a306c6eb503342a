/**
 * Input of the drain workflow: the drain's name. Its members, their deadlines and what it waits for are in the swap
 * items that name it. So an order has the same size for ten thousand instances as for one, and every start of a drain
 * has the same input.
 */
export type DrainOrder = { readonly group: string; readonly drain: string };

export type Drains = {
  /**
   * `running`: it runs now, whoever started it. `over`: a drain of this name has ended before, and cannot be started
   * again.
   */
  start(order: DrainOrder): Promise<'running' | 'over'>;
};
