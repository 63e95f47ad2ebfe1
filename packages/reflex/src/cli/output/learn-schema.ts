import { z } from 'zod'
import { anyJson, fault, finding, list, text, v } from '../../protocol/shapes.ts'

const number = z.number()
const symbols = list(text).describe('Tools with the shapes of their calls')
const share = number.describe('A share from 0 to 1')

const draft = z.object({
  id: text,
  version: text,
  state: z.enum(['draft', 'candidate']).describe('candidate: complete, and can be tested'),
  novelty: z.enum(['new', 'known', 'update']),
  from: text.optional().describe('The version that it is an update of'),
  registry: z.enum(['draft', 'known', 'refused', 'not_kept']).describe('not_kept: with --dry'),
  refused: fault.optional(),
  support: share.optional(),
  success: share.optional(),
  saving: z.object({ unit: text, before: number, after: number, delta: number, deltaP95: number }),
  symbols,
  slots: list(z.object({ name: text, type: text, origin: z.enum(['board', 'user_text', 'opaque', 'secret']), path: text.optional() })),
  findings: list(finding).describe('Everything that is open'),
  files: list(
    z.object({ path: text, result: z.enum(['written', 'unchanged', 'left']).describe('left: a person has written or changed it') }),
  ).describe('In the folder of drafts'),
})

/** The document of `learn snapshot`. */
export const LEARNED = z.object({
  v,
  shapes: z.object({
    read: number.describe('Runs that were read'),
    known: number.describe('Runs that were read before'),
    removed: number,
    unreadable: list(z.object({ run: text, reason: text })),
  }),
  miner: z.object({ version: text, params_hash: text }),
  params: z.record(text, anyJson),
  runs: number,
  calls: number,
  symbols: number,
  least: number.describe('The least number of runs with a pattern'),
  unit: z.enum(['usd', 'tokens', 'calls']),
  considered: number,
  kept: number,
  dropped: z.record(text, number).describe('The number of patterns, by the reason'),
  rejected: list(z.object({ symbols, support: number, reason: text, detail: text.optional(), needs: text.optional() })),
  drafts: list(draft),
})

/** The document of `export` with `skill-md`. */
export const AGENT_SKILL = z.object({ v, skill: text, folder: text, files: list(text) })

/** The document of `learn import`. */
export const TRANSCRIPTS = z.object({
  v,
  runs: list(
    z.object({
      run: text,
      file: text,
      format: text,
      agent: text.optional().describe('The agent that the main one called; absent for the main one'),
      calls: number,
      unpaired: number.describe('Calls without a result'),
      known: z.boolean().describe('True if it was imported before'),
    }),
  ),
  findings: list(finding),
})
