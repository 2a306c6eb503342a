import { describe, expect, it } from 'vitest';
import { offeringKey, parseOfferingKey } from '../../../core/pool/offering.ts';

describe('the key of an offering', () => {
  it('is its type, its zone and its market, and is read back', () => {
    for (const market of ['spot', 'on-demand'] as const) {
      const offering = { instanceType: 'm7g.large', zone: 'us-east-1a', market };
      expect(offeringKey(offering)).toBe(`m7g.large/us-east-1a/${market}`);
      expect(parseOfferingKey(offeringKey(offering))).toEqual(offering);
    }
  });

  it.each([
    '',
    'm7g.large',
    'm7g.large/us-east-1a',
    '/us-east-1a/spot',
    'm7g.large//spot',
    'm7g.large/us-east-1a/reserved',
    'm7g.large/us-east-1a/spot/x',
  ])('is not the text %j', (text) => {
    expect(parseOfferingKey(text)).toBeUndefined();
  });
});
