// expects lint/style/noParameterProperties
export class Pool {
  constructor(readonly name: string) {}
}
