import { ApiError } from '../api.ts';

/** How each service says that something is not allowed. */
const forms: Readonly<Record<string, { readonly code: string; readonly status: number }>> = {
  ec2: { code: 'UnauthorizedOperation', status: 403 },
  autoscaling: { code: 'AccessDenied', status: 403 },
  elasticloadbalancing: { code: 'AccessDenied', status: 403 },
  sts: { code: 'AccessDenied', status: 403 },
};
const jsonForm = { code: 'AccessDeniedException', status: 400 };

export const denial = (service: string, sentence: string): ApiError => {
  const { code, status } = forms[service] ?? jsonForm;
  const message = service === 'ec2' ? `You are not authorized to perform this operation. ${sentence}` : sentence;
  return new ApiError(code, message, status);
};

export type DeniedAccess = { readonly principalArn: string; readonly action: string; readonly resource: string; readonly isExplicit: boolean };

/** AWS's sentence for a missing right, or for one that was taken away. */
export const deniedSentence = ({ principalArn, action, resource, isExplicit }: DeniedAccess): string => {
  const reason = isExplicit ? 'with an explicit deny in an identity-based policy' : `because no identity-based policy allows the ${action} action`;
  return `User: ${principalArn} is not authorized to perform: ${action} on resource: ${resource} ${reason}`;
};
