// expects lint/style/noEnum
export enum Market {
  Spot = 'spot',
}
