/**
 * Group names are part of tags, of execution names and of keys, so they use only characters that all of those accept.
 */
export const groupNamePattern = /^[A-Za-z][A-Za-z0-9._-]{0,62}$/;
export const groupNameText = 'a group name: a letter, then up to 62 letters, digits, dots, hyphens or underscores';

export const isGroupName = (text: string): boolean => groupNamePattern.test(text);
