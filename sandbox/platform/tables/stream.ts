import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { KeySchema } from './memory-store.ts';

/** An item in DynamoDB's own JSON: `{"group": {"S": "workers"}}`. */
export type AttributeMap = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export type StreamRecord = {
  readonly eventID: string;
  readonly eventName: 'INSERT' | 'MODIFY' | 'REMOVE';
  readonly eventVersion: '1.1';
  readonly eventSource: 'aws:dynamodb';
  readonly awsRegion: string;
  readonly dynamodb: {
    /** Epoch seconds. */
    readonly ApproximateCreationDateTime: number;
    readonly Keys: AttributeMap;
    readonly NewImage?: AttributeMap;
    readonly OldImage?: AttributeMap;
    readonly SequenceNumber: string;
    readonly SizeBytes: number;
    readonly StreamViewType: string;
  };
  readonly eventSourceARN: string;
};

export type StreamOptions = { readonly arn: string; readonly region: string; readonly keySchema: KeySchema; readonly viewType: string };

export type TableStream = {
  readonly arn: string;
  /** Makes the record of a change; a write that leaves the item as it was makes none. */
  append(before: AttributeMap | undefined, after: AttributeMap | undefined, atMs: number): void;
  subscribe(reader: (record: StreamRecord) => void): void;
};

const eventName = (before: AttributeMap | undefined, after: AttributeMap | undefined): StreamRecord['eventName'] => {
  if (after === undefined) return 'REMOVE';
  return before === undefined ? 'INSERT' : 'MODIFY';
};

/** The stream of one table: every change once, in order. */
export const createTableStream = ({ arn, region, keySchema, viewType }: StreamOptions): TableStream => {
  const readers: ((record: StreamRecord) => void)[] = [];
  let written = 0;
  const keysOf = (item: AttributeMap): AttributeMap =>
    Object.fromEntries(keySchema.map(({ AttributeName }) => [AttributeName, item[AttributeName] as AttributeMap[string]]));
  const images = (before: AttributeMap | undefined, after: AttributeMap | undefined) => ({
    ...(after !== undefined && /NEW/.test(viewType) && { NewImage: after }),
    ...(before !== undefined && /OLD/.test(viewType) && { OldImage: before }),
  });
  return {
    arn,
    append: (before, after, atMs) => {
      const item = after ?? before;
      if (item === undefined || isDeepStrictEqual(before, after)) return;
      written += 1;
      const record: StreamRecord = {
        eventID: createHash('md5').update(`${arn}/${written}`).digest('hex'),
        eventName: eventName(before, after),
        eventVersion: '1.1',
        eventSource: 'aws:dynamodb',
        awsRegion: region,
        dynamodb: {
          ApproximateCreationDateTime: Math.floor(atMs / 1000),
          Keys: keysOf(item),
          ...images(before, after),
          SequenceNumber: String(written).padStart(21, '0'),
          SizeBytes: Buffer.byteLength(JSON.stringify(item)),
          StreamViewType: viewType,
        },
        eventSourceARN: arn,
      };
      for (const reader of readers) reader(record);
    },
    subscribe: (reader) => {
      readers.push(reader);
    },
  };
};
