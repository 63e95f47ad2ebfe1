import type { FaultFamily } from '../kernel/index.ts'
import { faults as ci } from './ci/faults.ts'
import { faults as registry } from './registry/faults.ts'
import { faults as mining } from './shapes/faults.ts'

/** The catalogue entries of what learns, tests and keeps skills. */
export const learnFaults: readonly FaultFamily<string>[] = [mining, registry, ci]
