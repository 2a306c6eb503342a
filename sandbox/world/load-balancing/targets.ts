import type { Base } from '../base.ts';
import type { InstanceRecord } from '../instance.ts';
import type { Instances } from '../instances.ts';
import { createTargetFacts } from './target-facts.ts';
import { deregistrationDelayMs, inFlightOf, type Target, type TargetGroup } from './target-group.ts';

export type Targets = {
  register(group: TargetGroup, instance: InstanceRecord): void;
  /** Begins draining. Returns the time at which the last request in flight ends, or the present time if there is none. */
  deregister(group: TargetGroup, instance: InstanceRecord): number;
  /** A listener sends requests to it from now on: its targets are checked. */
  use(group: TargetGroup, loadBalancerArn: string): void;
  /** Target groups that this instance is registered with, draining ones included. */
  groupsOf(instance: string): readonly TargetGroup[];
  /** Called when a target has become healthy. */
  onHealthy(listener: (group: TargetGroup, target: Target) => void): void;
};

/** A stopped instance stays registered. When it runs again, its target needs the initial health checks. */
const checkAnew = (group: TargetGroup, target: Target): void => {
  if (target.state === 'draining' || target.state === 'initial') return;
  target.timer?.cancel();
  group.rotation.delete(target);
  target.state = 'initial';
};

/** Registration, health and draining of targets. Health checks are computed, not polled: one timer per change of state. */
export const createTargets = (base: Base, instances: Instances): Targets => {
  const { clock } = base;
  const groupsOf = new Map<string, Set<TargetGroup>>();
  const listeners: ((group: TargetGroup, target: Target) => void)[] = [];

  const facts = createTargetFacts(base);
  const remove = (group: TargetGroup, target: Target): void => {
    target.timer?.cancel();
    facts.cutOff(group, target);
    group.rotation.delete(target);
    group.targets.delete(target.instance.id);
    const groups = groupsOf.get(target.instance.id);
    groups?.delete(group);
    if (groups?.size === 0) groupsOf.delete(target.instance.id);
  };
  const turnHealthy = (group: TargetGroup, target: Target): void => {
    target.state = 'healthy';
    group.rotation.add(target);
    facts.inService(group, target);
    for (const listener of listeners) listener(group, target);
  };
  /** The script causes software failures. */
  const turnUnhealthy = (group: TargetGroup, target: Target): void => {
    target.state = 'unhealthy';
    group.rotation.delete(target);
    base.acting.as({ by: { kind: 'script' } }, () => facts.outOfService(group, target, 'unhealthy'));
  };
  /** As many checks as the threshold, counted from when the instance answers. */
  const awaitHealth = (group: TargetGroup, target: Target): void => {
    const { bootedAtMs, isFailing } = target.instance;
    if (group.loadBalancerArn === undefined || bootedAtMs === undefined || isFailing === true) return;
    target.timer?.cancel();
    target.timer = clock.after(group.healthyThreshold * group.intervalSeconds * 1000, () => turnHealthy(group, target));
  };
  const register = (group: TargetGroup, instance: InstanceRecord): void => {
    const known = group.targets.get(instance.id);
    if (known !== undefined && known.state !== 'draining') return;
    known?.timer?.cancel();
    const target: Target = { instance, port: group.port, state: 'initial', inFlight: known?.inFlight ?? [] };
    group.targets.set(instance.id, target);
    groupsOf.set(instance.id, (groupsOf.get(instance.id) ?? new Set()).add(group));
    awaitHealth(group, target);
  };
  const tellDrained = (instance: InstanceRecord): void => {
    const targets = [...(groupsOf.get(instance.id) ?? [])].flatMap((group) => group.targets.get(instance.id) ?? []);
    const busy = targets.some((target) => target.state !== 'draining' || inFlightOf(target, clock.now()) > 0);
    if (!busy && instance.state === 'running') base.tell({ kind: 'drained', instance: instance.id, atMs: clock.now() });
  };
  const settle = (group: TargetGroup, target: Target): void => {
    facts.empty(group, target);
    tellDrained(target.instance);
  };
  const deregister = (group: TargetGroup, instance: InstanceRecord): number => {
    const target = group.targets.get(instance.id);
    if (target === undefined) return clock.now();
    // If no load balancer sends requests, there are none to wait for.
    const delayMs = group.loadBalancerArn === undefined ? 0 : deregistrationDelayMs(group);
    const lastEndMs = Math.max(clock.now(), ...target.inFlight.map(({ endsAtMs }) => endsAtMs));
    const idleAtMs = Math.min(lastEndMs, clock.now() + delayMs);
    if (target.state === 'draining') return idleAtMs;
    const first = [...(groupsOf.get(instance.id) ?? [])].every((other) => other.targets.get(instance.id)?.state !== 'draining');
    target.timer?.cancel();
    target.state = 'draining';
    group.rotation.delete(target);
    if (first && instance.state === 'running') base.tell({ kind: 'draining', instance: instance.id, atMs: clock.now() });
    facts.outOfService(group, target, 'deregistered');
    if (idleAtMs <= clock.now()) settle(group, target);
    else clock.at(idleAtMs, () => settle(group, target));
    target.timer = clock.after(delayMs, () => remove(group, target));
    return idleAtMs;
  };
  const use = (group: TargetGroup, loadBalancerArn: string): void => {
    group.loadBalancerArn = loadBalancerArn;
    for (const target of group.targets.values()) if (target.state === 'initial') awaitHealth(group, target);
  };

  const each = (instance: InstanceRecord, act: (group: TargetGroup, target: Target) => void): void => {
    for (const group of [...(groupsOf.get(instance.id) ?? [])]) {
      const target = group.targets.get(instance.id);
      if (target !== undefined) act(group, target);
    }
  };
  /** An instance that ends without being deregistered fails its checks, and gets requests until then. */
  const noticeDeath = (group: TargetGroup, target: Target): void => {
    facts.cutOff(group, target);
    if (target.state === 'draining') return;
    if (target.state === 'healthy') facts.outOfService(group, target, 'ending');
    target.timer?.cancel();
    const noticedMs = target.state === 'healthy' ? group.unhealthyThreshold * group.intervalSeconds * 1000 : 0;
    target.timer = clock.after(noticedMs, () => {
      group.rotation.delete(target);
      target.state = 'unused';
    });
  };
  /** Health checks that fail take a target out of rotation, and bring it back once they pass again. */
  const follow = (group: TargetGroup, target: Target): void => {
    if (target.state === 'draining' || target.state === 'unused') return;
    target.timer?.cancel();
    if (target.instance.isFailing !== true) {
      if (target.state !== 'healthy') awaitHealth(group, target);
    } else if (target.state === 'healthy') {
      target.timer = clock.after(group.unhealthyThreshold * group.intervalSeconds * 1000, () => turnUnhealthy(group, target));
    }
  };
  instances.subscribe({
    running: (instance) => each(instance, checkAnew),
    health: (instance) => each(instance, follow),
    booted: (instance) => {
      // In no target group, and held back by nothing: it serves.
      const serves = !groupsOf.has(instance.id) && instance.isHeldBack !== true;
      if (serves) base.tell({ kind: 'serving', instance: instance.id, atMs: clock.now() });
      each(instance, (group, target) => {
        if (target.state === 'initial') awaitHealth(group, target);
      });
    },
    leaving: (instance) => each(instance, noticeDeath),
    forgotten: (instance) => each(instance, remove),
  });
  return {
    register,
    deregister,
    use,
    groupsOf: (instance) => [...(groupsOf.get(instance) ?? [])],
    onHealthy: (listener) => {
      listeners.push(listener);
    },
  };
};
