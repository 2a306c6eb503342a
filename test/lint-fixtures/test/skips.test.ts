// expects lint/suspicious/noSkippedTests
import { test } from 'vitest';

test.skip('later', () => {});
