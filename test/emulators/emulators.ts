type Name = 'ministack' | 'ministack-auth' | 'moto';

const urls = JSON.parse(process.env.HOLDFAST_EMULATORS ?? '{}') as Readonly<Partial<Record<Name, string>>>;

/** The address of an emulator. Undefined when it could not be installed. */
export const emulatorUrl = (name: Name): string | undefined => urls[name];

export const needUrl = (name: Name): string => {
  const url = urls[name];
  if (url === undefined) throw new Error(`${name} is not running: start this suite with npm run test:emulators.`);
  return url;
};
