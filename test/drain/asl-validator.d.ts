declare module 'asl-validator' {
  export default function validate(definition: unknown): { readonly isValid: boolean; readonly errors: readonly unknown[] };
}
