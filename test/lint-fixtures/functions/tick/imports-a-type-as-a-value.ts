// expects lint/style/useImportType
import { Signal } from '../../core/signals/signal.ts';

export type Heard = Signal;
