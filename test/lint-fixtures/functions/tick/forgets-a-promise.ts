// expects lint/nursery/noFloatingPromises
const send = async (): Promise<void> => {};

export const forget = (): void => {
  send();
};
