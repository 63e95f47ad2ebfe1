import { z } from 'zod'
import { once } from '../text/index.ts'
import { isList, isObject, type Json, type JsonObject } from '../kernel/index.ts'

/** The settings that a run keeps of its start, as they stand in the journal. A setting in another form counts as absent. */
const settingsForm = once(() => {
  const word = z.string().optional().catch(undefined)
  const amount = z.number().positive().optional().catch(undefined)
  const words = z.record(z.string(), z.string()).optional().catch(undefined)

  return z.object({
    actor: z.string().catch(''),
    workdir: z.string().catch(''),
    file: word,
    agent: z
      .object({
        default: word,
        perNode: words,
        script: z.record(z.string(), z.json()).optional().catch(undefined),
        model: word,
        recorded: word,
      })
      .optional()
      .catch(undefined),
    agentId: word,
    tools: z.array(z.string()).optional().catch(undefined),
    limits: z
      .object({ steps: amount, maxSteps: amount, time: amount, tokens: amount, cost: amount, depth: amount, branchSteps: amount })
      .optional()
      .catch(undefined),
    // Whatever it says, nothing of such a run is to leave.
    simulate: z
      .unknown()
      .transform((said) => (said === undefined ? undefined : (true as const)))
      .optional(),
    routing: z
      .object({
        onUnroutedFailure: z.enum(['fail', 'lenient']).optional().catch(undefined),
        deadEnd: z.enum(['success', 'fail']).optional().catch(undefined),
      })
      .optional()
      .catch(undefined),
    persistArtifacts: z.literal(true).optional().catch(undefined),
    logs: z.object({ folder: word, secret: word }).optional().catch(undefined),
    lowered: z.literal(true).optional().catch(undefined),
    proof: z.object({ nonce: z.string(), seal: z.string() }).optional().catch(undefined),
  })
})

/** Reads what a journal, which may be somebody else's, says of how its run was started. Never throws. */
export function readSettings(by: JsonObject): JsonObject {
  return withoutAbsent(settingsForm().parse(by)) as JsonObject
}

/** Without the keys that have no value: JSON has none of them. */
function withoutAbsent(value: unknown): Json {
  if (isList(value)) return value.map(withoutAbsent)
  if (!isObject(value)) return value as Json
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined)
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutAbsent(inner)]))
}
