// expects lint/style/useImportType
import { Signal } from '../../core/signal.ts';

export type Heard = Signal;
