// expects lint/suspicious/noFocusedTests
import { test } from 'vitest';

test.only('this', () => {});
