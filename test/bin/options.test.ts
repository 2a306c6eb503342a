import { describe, expect, it } from 'vitest';
import { optionsOf } from '../../bin/options.ts';

const propsOf = (context: Readonly<Record<string, unknown>>) => optionsOf(context).props;

describe('the options of a deployment', () => {
  it('are not needed', () => {
    expect(optionsOf({ '@aws-cdk/core:stackRelativeExports': true, 'aws:cdk:version-reporting': true, owner: 'web', game: 'x' })).toEqual({
      name: 'holdfast',
      props: { onlyTagged: false, imageParameters: [], hookTopicArns: [] },
    });
  });

  it('set the properties of the construct', () => {
    const topics = 'arn:aws:sns:eu-west-1:123456789012:hooks, arn:aws-cn:sns:cn-north-1:123456789012:more';
    const context = { name: 'blue', 'only-tagged': 'true', 'image-parameters': '/images/*,/web', 'hook-topics': topics, alarms: 'capacity' };
    expect(optionsOf(context)).toEqual({
      name: 'blue',
      props: { onlyTagged: true, imageParameters: ['/images/*', '/web'], hookTopicArns: topics.split(', '), alarms: 'capacity' },
    });
  });

  it('may be booleans, as in cdk.json', () => {
    expect([propsOf({ 'only-tagged': true }).onlyTagged, propsOf({ 'only-tagged': false }).onlyTagged]).toEqual([true, false]);
    expect(propsOf({ 'only-tagged': 'false' }).onlyTagged).toBe(false);
  });

  it.each(['yes', 'True', '1', ''])('refuse only-tagged=%s, because a deployment without the restriction would follow', (value) => {
    expect(() => optionsOf({ 'only-tagged': value })).toThrow(`Expected -c only-tagged=true or -c only-tagged=false, found '${value}'.`);
  });

  it.each([
    ['onlytagged', 'only-tagged'],
    ['onlyTagged', 'only-tagged'],
    ['only_tagged', 'only-tagged'],
    ['only-taged', 'only-tagged'],
    ['hookTopicArns', 'hook-topics'],
    ['image-parameter', 'image-parameters'],
    ['alarm', 'alarms'],
    ['Name', 'name'],
  ])('refuse %s, which would have no effect', (key, option) => {
    expect(() => optionsOf({ [key]: 'true' })).toThrow(`Expected -c ${option}=…, found -c ${key}=…, which has no effect.`);
  });

  it('refuse a topic that is none', () => {
    expect(() => optionsOf({ 'hook-topics': 'hooks' })).toThrow("Expected -c hook-topics=… with ARNs of SNS topics, found 'hooks'.");
  });
});
