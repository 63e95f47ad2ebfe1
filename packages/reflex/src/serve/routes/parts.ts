import { z } from 'zod'
import { abandonedRuns } from '../../runs/abandoned-runs.ts'
import type { RunRow, RunStatus } from '../../kernel/index.ts'
import type { ServeWorld } from '../world.ts'

/** The parts of the paths, queries and bodies of several routes. */
export const RUN = z.strictObject({ run: z.string().min(1).max(200).describe('A run: its id, a unique prefix of it, or its trace id') })
export const PROGRAM = z.strictObject({ program: z.string().min(3).max(500).describe('A program: kind:name') })
export const AT = z.coerce.number().int().min(1).optional().describe('A record: the run as it was after it')
export const LIMIT = z.coerce.number().int().min(1).max(1000).default(50)
export const JSON_VALUE = z.json()

const STATUSES: ReadonlySet<string> = new Set(['running', 'suspended', 'completed', 'failed', 'cancelled'] satisfies RunStatus[])

/** The filters of lists and streams of runs. */
export const FILTER = {
  status: z
    .string()
    .max(100)
    .transform((text, context): RunStatus[] => {
      const words = text.split(',')
      for (const word of words)
        if (!STATUSES.has(word)) context.addIssue(`${JSON.stringify(word)} is not one of ${[...STATUSES].join(', ')}`)
      return words as RunStatus[]
    })
    .optional()
    .describe('A status, or several with commas: running, suspended, completed, failed, cancelled'),
  kind: z.string().max(50).optional(),
  program: z.string().max(500).optional().describe('kind:name'),
}

/** Returns `otter-2m9q@21`, or only the run. */
export function addressOf({ run }: { readonly run: string }, at: number | undefined): string {
  return at === undefined ? run : `${run}@${at}`
}

/** Returns the runs among `rows` whose process is gone: they are shown as suspended. */
export function goneAmong({ reflex }: ServeWorld, rows: readonly RunRow[]): Promise<ReadonlySet<string>> {
  // Whether a process of another machine lives is known from its heartbeat.
  return abandonedRuns(reflex.store, { now: reflex.host.now(), isAlive: () => true }, rows)
}
