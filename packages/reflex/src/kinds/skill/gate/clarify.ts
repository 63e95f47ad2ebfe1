import type { Manifest } from '../model/manifest.ts'

/** A question that asks for the value of a slot. */
export interface SlotQuestion {
  readonly slot: string
  readonly question: string
}

/** One question asks for so many slots at most; the others are asked for next time. */
const MOST_QUESTIONS = 5

/** Returns the questions for slots without a value, in the order of the signature (reference skill 1.11). */
export function clarifyQuestions({ signature }: Pick<Manifest, 'signature'>, missing: readonly string[]): readonly SlotQuestion[] {
  return signature.inputs
    .filter(({ name }) => missing.includes(name))
    .slice(0, MOST_QUESTIONS)
    .map(({ name, type, description }) => ({
      slot: name,
      question: description === '' ? `Which value for ${name}? (${type})` : description,
    }))
}
