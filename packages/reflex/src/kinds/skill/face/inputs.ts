import type { Json, JsonObject } from '../../../kernel/index.ts'
import { programFaults } from '../../../programs/faults.ts'
import { isSealed } from '../../../policy/index.ts'
import { parseIfJson, quote, quoteAll, suggest } from '../../../text/index.ts'
import type { CompiledSkill } from '../manifest/compiled.ts'
import type { Slot } from '../model/slot.ts'
import { readSlotValue } from '../manifest/slot-values.ts'

/**
 * Returns named inputs as values of slots: a text becomes the type of its slot, and a sensitive value is sealed before any record. Throws `R2045` for an unknown slot and an
 * invalid value.
 */
export function skillInputs(
  { manifest }: Pick<CompiledSkill, 'manifest'>,
  { input, texts, seal }: { readonly input: JsonObject; readonly texts: readonly string[]; readonly seal: (value: Json) => string },
): JsonObject {
  const slots = new Map(manifest.signature.inputs.map((slot) => [slot.name, slot]))
  return Object.fromEntries(
    Object.entries(input).map(([name, given]): [string, Json] => {
      const slot = slots.get(name)
      if (slot === undefined) throw unknownSlot(manifest.id, name, [...slots.keys()])
      const value = slot.type === 'json' && texts.includes(name) ? (parseIfJson(given) as Json) : given
      const read = readSlotValue(slot, value)
      // The value is not in the message: it can be a secret.
      if ('problem' in read)
        throw programFaults.make('R2045', `${manifest.id}: the value of ${quote(name)} ${read.problem}`, {
          path: name,
          fix: `give a value of the type ${slot.type}${wantedOf(slot)}`,
        })
      return [name, slot.sensitive && slot.type !== 'secret_ref' && !isSealed(read.value) ? seal(read.value) : read.value]
    }),
  )
}

/** Returns the limits of a slot that its manifest states in words that a person can follow. */
function wantedOf({ enum: values, pattern, description }: Slot): string {
  if (values !== undefined) return `, one of ${quoteAll(values)}`
  return pattern === undefined ? '' : ` that matches ${pattern}${description === '' ? '' : ` (${description})`}`
}

function unknownSlot(id: string, name: string, known: readonly string[]): Error {
  const guess = suggest(name, known)
  const fix = guess !== undefined ? `write ${guess}` : known.length === 0 ? 'leave it out' : `write one of ${quoteAll(known)}`
  const message = `${id} has no input ${quote(name)}${guess === undefined ? '' : `; did you mean ${quote(guess)}?`}`
  return programFaults.make('R2045', message, { path: id, fix })
}
