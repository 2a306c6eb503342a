import type { ApiError } from '../api.ts';
import type { WireResponse } from './http.ts';
import { writeJson } from './json.ts';
import type { ServiceProtocol } from './protocols.ts';
import type { ErrorShape } from './schemas.ts';
import { element, escapeXml, writeMembers } from './xml-output.ts';

const faultOf = (status: number): 'Sender' | 'Receiver' => (status >= 500 ? 'Receiver' : 'Sender');

const hasMembers = (error: ApiError): boolean => Object.keys(error.members).length > 0;

/** EC2 and the query protocol each have an envelope of their own. A modelled error's status is the model's. */
export const encodeXmlError = (protocol: ServiceProtocol, error: ApiError, known: ErrorShape | undefined, requestId: string): WireResponse => {
  const status = known?.status ?? error.status;
  const members = known !== undefined && hasMembers(error) ? writeMembers(known.shape, error.members) : '';
  const content = element('Code', escapeXml(known?.queryCode ?? error.code)) + element('Message', escapeXml(error.message)) + members;
  const body =
    protocol.style === 'ec2'
      ? element('Response', element('Errors', element('Error', content)) + element('RequestID', requestId))
      : `<ErrorResponse xmlns="${protocol.namespace}">${element('Error', element('Type', faultOf(status)) + content)}${element('RequestId', requestId)}</ErrorResponse>`;
  return { status, headers: {}, body };
};

/** SQS once spoke the query protocol: its clients read the old code from a header. */
export const encodeJsonError = (protocol: ServiceProtocol, error: ApiError, known: ErrorShape | undefined): WireResponse => {
  const status = known?.status ?? error.status;
  const name = known?.name ?? error.code;
  const members = known !== undefined && hasMembers(error) ? writeJson(known.shape, error.members) : error.members;
  const headers: Record<string, string> = { 'x-amzn-errortype': name };
  if (protocol.service === 'sqs') headers['x-amzn-query-error'] = `${known?.queryCode ?? error.code};${faultOf(status)}`;
  return { status, headers, body: JSON.stringify({ __type: `${protocol.namespace}#${name}`, message: error.message, ...(members as object) }) };
};
