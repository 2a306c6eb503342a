/** Each kind of event without its time. */
export type Untimed<Event> = Event extends { readonly atMs: number } ? Omit<Event, 'atMs'> : never;
