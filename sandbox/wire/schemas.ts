import { NormalizedSchema } from '@smithy/core/schema';
import { type SchemaModule, type ServiceProtocol, serviceProtocols } from './protocols.ts';

export type Shape = NormalizedSchema;
export type OperationShapes = { readonly input: Shape; readonly output: Shape };
export type ErrorShape = {
  readonly name: string;
  /** Code on the wire of the query protocols, where it differs from the shape's name. */
  readonly queryCode: string;
  readonly status: number | undefined;
  readonly shape: Shape;
};

type SchemaRef = Parameters<typeof NormalizedSchema.of>[0];
/** Kinds of the SDK's static schemas: the first element of each tuple. */
const kinds = { structure: 3, operation: 9, error: -3 } as const;

export type ServiceSchemas = {
  operation(name: string): OperationShapes | undefined;
  /** By the shape's name or by its code on the query wire: services may throw either. */
  error(code: string): ErrorShape | undefined;
};

const isTuple = (value: unknown, kind: number): value is readonly unknown[] => Array.isArray(value) && value[0] === kind;

const shapeOf = (ref: unknown): Shape => NormalizedSchema.of((typeof ref === 'function' ? ref() : ref) as SchemaRef);

const errorShape = (tuple: readonly unknown[]): ErrorShape => {
  const name = String(tuple[2]);
  const shape = NormalizedSchema.of(tuple as unknown as SchemaRef);
  const { awsQueryError, httpError } = shape.getMergedTraits();
  const [queryCode, status] = Array.isArray(awsQueryError) ? awsQueryError : [name, httpError];
  return { name, queryCode: String(queryCode), status: typeof status === 'number' ? status : undefined, shape };
};

const createServiceSchemas = (module: SchemaModule): ServiceSchemas => {
  const operations = new Map<string, OperationShapes>();
  const errors = new Map<string, ErrorShape>();
  for (const tuple of Object.values(module)) {
    if (!isTuple(tuple, kinds.error)) continue;
    const error = errorShape(tuple);
    errors.set(error.name, error).set(error.queryCode, error);
  }
  const operation = (name: string): OperationShapes | undefined => {
    const known = operations.get(name);
    if (known !== undefined) return known;
    const tuple = Object.hasOwn(module, `${name}$`) ? module[`${name}$`] : undefined;
    if (!isTuple(tuple, kinds.operation)) return undefined;
    const shapes = { input: shapeOf(tuple[4]), output: shapeOf(tuple[5]) };
    operations.set(name, shapes);
    return shapes;
  };
  return { operation, error: (code) => errors.get(code) };
};

const loaded = new Map<string, Promise<ServiceSchemas>>();

/** Reads a service's schemas once per process. Undefined for a service whose JSON is passed on as it is. */
export const schemasOf = async (protocol: ServiceProtocol): Promise<ServiceSchemas | undefined> => {
  if (protocol.load === undefined) return undefined;
  const known = loaded.get(protocol.service);
  if (known !== undefined) return known;
  const schemas = protocol.load().then(createServiceSchemas);
  loaded.set(protocol.service, schemas);
  return schemas;
};

/**
 * Reads the schemas of all services. Simulated time must not wait for a file: calls at one moment would go on in the order in which their modules come, and the
 * same seed would give another history in the first world of a process.
 */
export const loadSchemas = async (): Promise<void> => {
  await Promise.all(serviceProtocols.map(schemasOf));
};

/** Members that a caller must give. The SDK lists them first and counts them at the end of the tuple. */
export const requiredMembers = (shape: Shape): readonly string[] => {
  const tuple = shape.getSchema() as unknown as readonly unknown[];
  if (!isTuple(tuple, kinds.structure)) return [];
  return (tuple[4] as readonly string[]).slice(0, typeof tuple[6] === 'number' ? tuple[6] : 0);
};

type Members = readonly (readonly [string, Shape])[];
const membersByShape = new WeakMap<object, { readonly members: Members; readonly names: ReadonlySet<string> }>();

/** The members of a shape are needed for each instance of a long response, so they are cached. */
export const membersOf = (shape: Shape): { readonly members: Members; readonly names: ReadonlySet<string> } => {
  const key = shape.getSchema() as unknown as object;
  const known = membersByShape.get(key);
  if (known !== undefined) return known;
  const members = [...shape.structIterator()];
  const read = { members, names: new Set(members.map(([name]) => name)) };
  membersByShape.set(key, read);
  return read;
};

/** The members of a structure that have values. A member that the API does not know is a fault of the simulator, and throws. */
export const givenMembers = (shape: Shape, value: unknown): readonly (readonly [string, Shape, unknown])[] => {
  if (typeof value !== 'object' || value === null) throw new TypeError(`${shape.getName()} must be an object, not ${typeof value}`);
  const given = value as Readonly<Record<string, unknown>>;
  const { members, names } = membersOf(shape);
  const stranger = Object.keys(given).find((name) => !names.has(name) && given[name] !== undefined);
  if (stranger !== undefined) throw new TypeError(`${shape.getName()} has no member ${stranger}`);
  return members.filter(([name]) => given[name] != null).map(([name, member]) => [name, member, given[name]] as const);
};
