import { PIPELINE_RUN_OPTIONS } from '../kinds/pipeline/face/run-options.ts'
import type { RunOptionTable } from '../programs/run-options.ts'

/** The run options of the built-in kinds, by kind: for the help of the command, which loads no kind. */
export const RUN_FLAGS: Readonly<Record<string, RunOptionTable>> = { pipeline: PIPELINE_RUN_OPTIONS }
