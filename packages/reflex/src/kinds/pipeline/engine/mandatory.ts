import { budget } from './budget.ts'
import { capabilityCheck } from './capability-check.ts'
import { checkpoint } from './checkpoint.ts'
import type { Middleware } from './middleware.ts'
import { safeInput } from './safe-input.ts'
import { sanitization } from './sanitization.ts'
import { signalEmit } from './signal-emit.ts'
import { taintCheck } from './taint-check.ts'

/** The seven that surround every execution of every node, in their order (seed pipeline 5.1). */
export const MANDATORY: readonly Middleware[] = [capabilityCheck, taintCheck, sanitization, safeInput, checkpoint, budget, signalEmit]
