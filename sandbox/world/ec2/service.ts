import type { ApiService } from '../../api.ts';
import type { Base } from '../base.ts';
import type { Instances } from '../instances.ts';
import type { OfferingBook } from '../offerings.ts';
import { createFleet, type FleetDeps } from './create-fleet.ts';
import { createInstanceDescribes } from './describe-instances.ts';
import { createImageOperations } from './images.ts';
import { attributeOperations } from './instance-attributes.ts';
import { createPlaceOperations } from './places.ts';
import { runInstances } from './run-instances.ts';
import { describeSpotPriceHistory } from './spot-prices.ts';
import { createTagOperations } from './tags.ts';
import { terminateInstances } from './terminate-instances.ts';
import { describeTypeOfferings } from './type-offerings.ts';

export type Ec2Deps = FleetDeps & { readonly base: Base; readonly instances: Instances; readonly book: OfferingBook };

export const createEc2 = (deps: Ec2Deps): ApiService => {
  const { base, instances, book, network, templates } = deps;
  return {
    service: 'ec2',
    operations: {
      ...templates.operations,
      ...createPlaceOperations(base, network),
      ...createInstanceDescribes(base, instances, network),
      ...attributeOperations(base, instances),
      ...createTagOperations(instances, templates),
      ...createImageOperations(templates, book),
      CreateFleet: createFleet(deps),
      RunInstances: runInstances(deps),
      TerminateInstances: terminateInstances(base, instances),
      DescribeSpotPriceHistory: describeSpotPriceHistory(base, book),
      DescribeInstanceTypeOfferings: describeTypeOfferings(book, base.place.region),
    },
  };
};
