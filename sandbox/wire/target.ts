import type { WireRequest } from './http.ts';
import { protocolByKey, type ServiceProtocol } from './protocols.ts';

/** What a request asks for, before its input was read. */
export type WireTarget = {
  readonly protocol: ServiceProtocol;
  /** False for a service that the sandbox does not implement. It can return only errors then. */
  readonly isKnown: boolean;
  readonly operation: string;
  readonly accessKeyId: string | undefined;
};

type Scope = { readonly accessKeyId: string | undefined; readonly service: string | undefined };

/** The signer and the service of a call: the credential scope of Signature Version 4. */
const scopeOf = (request: WireRequest): Scope => {
  const scope = /Credential=([^/,\s]+)\/[^/]+\/[^/]+\/([^/]+)\/aws4_request/.exec(request.headers.authorization ?? '');
  return { accessKeyId: scope?.[1], service: scope?.[2] };
};

const strangeProtocol = (style: 'query' | 'json', service: string): ServiceProtocol => ({
  service,
  style,
  key: '',
  model: '',
  namespace: style === 'json' ? `com.amazonaws.${service}` : `http://${service}.amazonaws.com/`,
  jsonVersion: '1.1',
});

/** Services without a target or an action whose responses and errors are XML. */
const xmlServices: readonly string[] = ['s3', 'route53', 'cloudfront'];

/** The parameters of a query request, from its body or (as a browser would send it) its address. */
export const formOf = (request: WireRequest): URLSearchParams => new URLSearchParams([request.query, request.body].filter(Boolean).join('&'));

/** Never throws. For a service that is not implemented, the response has the form that its caller most likely reads. */
export const identify = (request: WireRequest): WireTarget => {
  const { accessKeyId, service } = scopeOf(request);
  const target = request.headers['x-amz-target'];
  if (target !== undefined) {
    const dot = target.lastIndexOf('.');
    const protocol = protocolByKey(target.slice(0, dot));
    const operation = target.slice(dot + 1);
    return {
      protocol: protocol ?? strangeProtocol('json', service ?? target.slice(0, dot)),
      isKnown: protocol !== undefined,
      operation,
      accessKeyId,
    };
  }
  const form = formOf(request);
  const protocol = protocolByKey(form.get('Version') ?? '');
  const action = form.get('Action');
  const strange = strangeProtocol(action === null && !xmlServices.includes(service ?? '') ? 'json' : 'query', service ?? 'unknown');
  return { protocol: protocol ?? strange, isKnown: protocol !== undefined, operation: action ?? `${request.method} ${request.path}`, accessKeyId };
};
