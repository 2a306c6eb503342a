/** Group names stand in tags, in names of executions and in keys, so they keep to what all of those take. */
export const groupNamePattern = /^[A-Za-z][A-Za-z0-9._-]{0,62}$/;
export const groupNameText = 'a group name: a letter, then up to 62 letters, digits, dots, hyphens or underscores';

export const isGroupName = (text: string): boolean => groupNamePattern.test(text);
