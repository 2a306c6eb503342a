/** A scenario document with nothing but what is required; parts of it are replaced by the tests. */
export const smallest = (changed: Record<string, unknown> = {}) => ({
  name: 'smallest',
  about: 'One instance.',
  world: {
    zones: ['us-east-1a'],
    subnets: [{ id: 'subnet-a', zone: 'us-east-1a' }],
    offerings: [{ instanceTypes: ['m7g.large'], zones: ['us-east-1a'], market: 'spot', capacity: 3, priceUsdPerHour: 0.03 }],
    launchTemplates: [{ name: 'web' }],
  },
  policies: [
    {
      group: 'web',
      size: 1,
      capacity: 'spot-a',
      pools: { 'spot-a': { market: 'spot', subnets: ['subnet-a'], launchTemplate: 'web', instanceTypes: ['m7g.large'] } },
    },
  ],
  lasts: '1m',
  ...changed,
});
