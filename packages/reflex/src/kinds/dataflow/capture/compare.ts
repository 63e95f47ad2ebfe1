import { equalJson, type Fault, type Json, type JsonObject } from '../../../kernel/index.ts'
import { quote } from '../../../text/index.ts'
import type { Effect } from '../model/effect.ts'
import type { CapturedDecision } from './bundle.ts'
import { faults } from './faults.ts'
import { hashJson } from './hash.ts'

/** The fields of a decision that a replay makes again (reference 8.3), in the order in which they are compared. */
const DECISION_FIELDS = ['event_id', 'decision', 'schedule_at', 'episode_id', 'deadline', 'termination', 'retry_count'] as const

/**
 * Compares a decision of a capture with that of a replay: its fields, its effects in content, order and number, and the hash of the outputs.
 * Returns the first difference, `R1393`; undefined if there is none. Acknowledgements and interruptions are not made again.
 */
export function compareDecision(index: number, expected: CapturedDecision, actual: CapturedDecision): Fault | undefined {
  for (const field of DECISION_FIELDS)
    if (!equalJson(expected[field], actual[field])) return decisionFault(index, expected, field, expected[field], actual[field])
  const effects = compareEffects(
    index,
    expected.event_id,
    expected.effects.map(({ effect }) => effect),
    actual.effects.map(({ effect }) => effect),
  )
  if (effects !== undefined) return effects
  if (expected.outputs_hash === actual.outputs_hash) return undefined
  return decisionFault(index, expected, 'outputs_hash', expected.outputs_hash, actual.outputs_hash)
}

function decisionFault(index: number, { event_id }: CapturedDecision, field: string, expected: unknown, actual: unknown): Fault {
  const sides = { expected: expected as Json, actual: actual as Json }
  const what =
    field === 'outputs_hash' ? 'the outputs are others' : `${field} is ${JSON.stringify(actual)}, captured was ${JSON.stringify(expected)}`
  return faults.make('R1393', `event ${quote(event_id)}: ${what}`, {
    rule: 'replay.decision_mismatch',
    path: `decisions[${index}].${field}`,
    fix: 'compare the two sides in the data of this fault',
    data: { event_id, field, ...sides },
  })
}

/** Compares the effects of an episode. The data of the fault has the index and both sides; a side is absent if there are fewer effects. */
export function compareEffects(index: number, event_id: string, expected: readonly Effect[], actual: readonly Effect[]): Fault | undefined {
  for (let at = 0; at < Math.max(expected.length, actual.length); at++) {
    const [captured, made] = [expected[at], actual[at]]
    if (captured !== undefined && made !== undefined && hashJson(captured) === hashJson(made)) continue
    const sides: JsonObject = {
      ...(captured === undefined ? {} : { expected: captured as unknown as Json }),
      ...(made === undefined ? {} : { actual: made as unknown as Json }),
    }
    const what = captured === undefined ? 'was not captured' : made === undefined ? 'is missing' : 'is another one'
    return faults.make('R1393', `event ${quote(event_id)}: effect ${at} ${what}`, {
      rule: 'replay.effect_mismatch',
      path: `decisions[${index}].effects[${at}]`,
      fix: 'compare the two sides in the data of this fault',
      data: { event_id, effect_index: at, ...sides },
    })
  }
  return undefined
}
