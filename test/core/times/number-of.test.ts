import { expect, it } from 'vitest';
import { numberOf } from '../../../core/units/number-of.ts';

it('a text has the same number in every version, so that what is spread by it stays where it is', () => {
  expect([numberOf(''), numberOf('ab'), numberOf('ba'), numberOf('web-asg-1')]).toEqual([7, 9_832, 9_862, 673_308_409]);
});
