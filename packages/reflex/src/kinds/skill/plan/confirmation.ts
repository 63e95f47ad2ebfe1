import { isList, type Json, type JsonObject } from '../../../kernel/index.ts'
import type { DecisionRecord } from '../model/decision.ts'
import type { Manifest } from '../model/manifest.ts'
import type { GateAnswer } from './compiled-plan.ts'
import { type Execution, KEYS } from './execution.ts'

/** The name of the wait for a confirmation. */
const CONFIRM = 'confirm'
const YES = 'yes'
const REDACTED = '‹redacted›'
/** The characters of a value that the text of a question has. */
const LONGEST_VALUE = 200

/**
 * Asks for the confirmation of an execution that nothing else denies: a person by a question of the run, or the host of a wrapped agent by the
 * port `skills.confirm`. Returns false if the confirmation is not missing, or if there is nobody to ask (design skill, where texts differ).
 */
export function asksConfirmation(one: Execution, { decision, slots, unconfirmed }: GateAnswer): boolean {
  const { x, look, program } = one
  const { mode, asks_confirmation } = look
  if (unconfirmed === undefined || asks_confirmation === undefined || mode === 'shadow') return false
  one.move({ phase: 'confirm' })
  x.setInternal(KEYS.unconfirmed, { fingerprint: unconfirmed, decision: decision as unknown as Json })
  const inputs = shownInputs(program.manifest, slots)
  if (asks_confirmation === 'host') x.request('skills.confirm', { inputs })
  // As every permission, it is given by people alone: no model, no default answer and no imported message confirms.
  else x.wait('answer', CONFIRM, { asker: 'permission', about: confirmationQuestion(program.manifest, inputs) })
  return true
}

/** Returns the decision that denied the execution until it is confirmed. */
export function unconfirmedDecision({ x }: Execution): DecisionRecord {
  return (x.get(KEYS.unconfirmed) as unknown as { readonly decision: DecisionRecord }).decision
}

/** Notes that exactly these arguments of this version are confirmed. Other ones, also in the same execution, have to be confirmed again. */
export function keepConfirmation({ x }: Execution): void {
  const { fingerprint } = x.get(KEYS.unconfirmed) as unknown as { readonly fingerprint: string }
  const confirmed = x.get(KEYS.confirmed)
  x.setInternal(KEYS.confirmed, [...(isList(confirmed) ? confirmed : []), fingerprint])
}

/** True for the answer of a person that confirms; everything else does not. */
export function isYes(answer: Json): boolean {
  return answer === YES
}

/** Returns what a skill changes, as its manifest declares it. */
export function effectsOf({ effects }: Pick<Manifest, 'effects'>): readonly string[] {
  return [...effects.writes, ...effects.external]
}

/** A question and its answer are recorded and shown, so they have no sensitive value. The name of a secret is no secret. */
function shownInputs({ signature }: Manifest, slots: JsonObject): JsonObject {
  const hidden = new Set(signature.inputs.filter(({ sensitive, type }) => sensitive && type !== 'secret_ref').map(({ name }) => name))
  return Object.fromEntries(Object.entries(slots).map(([name, value]) => [name, hidden.has(name) ? REDACTED : value]))
}

function confirmationQuestion(manifest: Manifest, inputs: JsonObject): JsonObject {
  const { id, version } = manifest
  const effects = effectsOf(manifest)
  const lines = Object.entries(inputs).map(([name, value]) => `${name}: ${shortened(JSON.stringify(value))}`)
  return {
    text: [`Carry out ${id}@${version}?`, ...lines, `changes: ${effects.join(', ') || 'nothing'}`].join('\n'),
    options: [
      { value: YES, label: 'Yes', key: 'y' },
      { value: 'no', label: 'No', key: 'n' },
    ],
    about: { skill: id, version, inputs, effects: [...effects] },
  }
}

function shortened(text: string): string {
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE)}…`
}
