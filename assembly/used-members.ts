/**
 * Members that functions use of EC2's largest structures. Bundles leave out the others, and with them everything that only they
 * refer to: the network interfaces of an instance, for example. So the SDK skips them in responses, and would not send them in
 * requests. `aws/calls/ec2-shapes.ts` has the types of what is left, and `test/house/bundled-sdk.test.ts` compares the two.
 */
export const usedMembers = {
  Reservation: ['Instances'],
  Instance: ['InstanceLifecycle', 'Tags', 'StateReason', 'InstanceId', 'State', 'InstanceType', 'LaunchTime', 'Placement'],
  InstanceStatus: ['InstanceId', 'InstanceStatus', 'SystemStatus'],
  InstanceStatusSummary: ['Status'],
  FleetLaunchTemplateOverrides: ['InstanceType', 'SubnetId', 'AvailabilityZone'],
  FleetLaunchTemplateOverridesRequest: ['InstanceType', 'MaxPrice', 'SubnetId', 'Priority'],
} as const;

/** A structure as the SDK's generator writes it: its members by name, then what each of them is. */
const structure = /^(?<begin>export var (?<name>\w+)\$ = \[3, n0, \w+,\n {4}0,\n {4}\[)(?<members>[\w, ]+)\],\n {4}\[(?<schemas>[\s\S]*?)\]\n\];$/gm;

const texts = /^const (?<constant>_\w+) = "(?<text>[^"\\\n]*)";$/gm;

/** The elements of a list in code, divided at the commas that are in no bracket. */
const elementsOf = (list: string): readonly string[] => {
  let depth = 0;
  const elements = [''];
  for (const character of list) {
    if ('[{('.includes(character)) depth += 1;
    if (']})'.includes(character)) depth -= 1;
    if (character === ',' && depth === 0) elements.push('');
    else elements.push(`${elements.pop()}${character}`);
  }
  return elements.map((one) => one.trim());
};

const isListed = (name: string): name is keyof typeof usedMembers => name in usedMembers;

/** The module of EC2's schemas with nothing but the members that functions use, of the structures above. */
export const withUsedMembers = (source: string): string => {
  const textOf = new Map([...source.matchAll(texts)].map(({ groups = {} }) => [groups.constant, groups.text]));
  return source.replace(structure, (...match) => {
    const { begin = '', name = '', members = '', schemas = '' } = match.at(-1) as Readonly<Record<string, string>>;
    if (!isListed(name)) return match[0];
    const used: readonly (string | undefined)[] = usedMembers[name];
    const kinds = elementsOf(schemas);
    const kept = elementsOf(members).flatMap((member, index) => (used.includes(textOf.get(member)) ? [{ member, kind: kinds[index] }] : []));
    return `${begin}${kept.map(({ member }) => member).join(', ')}],\n    [${kept.map(({ kind }) => kind).join(', ')}]\n];`;
  });
};
