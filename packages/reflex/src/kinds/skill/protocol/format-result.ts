import { type Json, type JsonObject } from '../../../kernel/index.ts'
import type { Clarification, ClarifyQuestion, FormattedResult, SkillResultMessage } from '../model/protocol.ts'
import { blockText } from './tags.ts'

/** The most tokens of a result (seed skill 12). */
export const MAX_RESULT_TOKENS = 50
const MAX_DETAIL_WORDS = 12
/** The words that a question keeps at each attempt to shorten it; with 0 words the slot is named alone. */
const QUESTION_WORDS = [12, 6, 3, 0] as const

export interface ResultOptions {
  /** Counts the tokens of a text; an upper bound will do. */
  readonly countTokens: (text: string) => number
  /** Default: 50. */
  readonly maxTokens?: number
  /** The text that arrives: a block, or its JSON alone as the result of a tool call. The limit holds for the block. Default: `text`. */
  readonly carrier?: 'text' | 'tool'
}

/** A message while it is made shorter, one attempt after the other. */
class Shortening {
  readonly shortened: FormattedResult['shortened'][number][] = []
  readonly #render: () => string
  readonly #options: ResultOptions

  constructor(render: () => string, options: ResultOptions) {
    this.#render = render
    this.#options = options
  }

  get fits(): boolean {
    return this.#count() <= (this.#options.maxTokens ?? MAX_RESULT_TOKENS)
  }

  /** Shortens once more if the message is still too long; `how` returns false if there is nothing more of that sort. */
  until(sort: FormattedResult['shortened'][number], how: () => boolean): void {
    while (!this.fits) {
      if (!how()) return
      if (!this.shortened.includes(sort)) this.shortened.push(sort)
    }
  }

  result(tag: 'SKILL_RESULT' | 'CLARIFY'): FormattedResult {
    const text = this.#render()
    return { text: this.#options.carrier === 'tool' ? jsonOf(text, tag) : text, tokens: this.#count(), shortened: this.shortened }
  }

  #count(): number {
    return this.#options.countTokens(this.#render())
  }
}

function jsonOf(block: string, tag: string): string {
  return block.slice(tag.length + 2, -(tag.length + 3))
}

/**
 * Writes a result for the model with its keys in the order of the protocol and without spaces. If it has more than 50 tokens, the longest
 * outputs become references to the blackboard, then all outputs give way to one reference, then `detail` loses words. `tokens` is above the
 * limit only if the id, the status and the reason alone are; the tags are counted with either carrier (reference skill 1.12).
 */
export function formatResult(message: SkillResultMessage, options: ResultOptions): FormattedResult {
  const { ref } = message
  let { outputs, detail, missing } = message
  detail = detail === undefined ? undefined : firstWords(detail, MAX_DETAIL_WORDS)
  let showsRef = outputs === undefined && ref !== undefined
  const shortening = new Shortening(
    () => blockText('SKILL_RESULT', JSON.stringify(inOrder({ ...message, outputs, detail, missing }, showsRef ? ref : undefined))),
    options,
  )
  shortening.until('references', () => {
    const next = outputs === undefined ? undefined : withReference(outputs, message)
    outputs = next ?? outputs
    return next !== undefined
  })
  shortening.until('outputs', () => {
    if (outputs === undefined) return false
    outputs = undefined
    showsRef = ref !== undefined
    return true
  })
  shortening.until('questions', () => {
    const next = missing === undefined ? undefined : shorterQuestions(missing)
    missing = next ?? missing
    return next !== undefined
  })
  shortening.until('detail', () => {
    if (detail === undefined) return false
    detail = withoutLastWord(detail)
    return true
  })
  shortening.until('ref', () => {
    if (!showsRef) return false
    showsRef = false
    return true
  })
  return shortening.result('SKILL_RESULT')
}

/** Writes the question for slots without a value as the model gets it, within the same limit: questions lose words, then the last go. */
export function formatClarify(clarify: Pick<Clarification, 'skill_ref' | 'questions'>, options: ResultOptions): FormattedResult {
  let { questions } = clarify
  const shortening = new Shortening(
    () =>
      blockText(
        'CLARIFY',
        JSON.stringify({
          ...(clarify.skill_ref !== undefined && { skill_id: clarify.skill_ref }),
          questions: questions.map(questionInOrder),
        }),
      ),
    options,
  )
  shortening.until('questions', () => {
    const next = shorterQuestions(questions)
    questions = next ?? questions
    return next !== undefined
  })
  return shortening.result('CLARIFY')
}

/** Returns the questions of a clarification as plain text for a person, one on each line. */
export function clarificationText({ questions }: Pick<Clarification, 'questions'>): string {
  return questions.map(({ question }) => question).join('\n')
}

/** A result while it is shortened. */
type MessageParts = { readonly [Key in keyof SkillResultMessage]: SkillResultMessage[Key] | undefined } & Pick<SkillResultMessage, 'status'>

/** The keys in the order of the protocol. */
function inOrder(message: MessageParts, ref: string | undefined): JsonObject {
  const { skill_id, status, outputs, reason, detail, missing } = message
  return {
    ...(skill_id !== undefined && { skill_id }),
    status,
    ...(outputs !== undefined && { outputs }),
    ...(reason !== undefined && { reason }),
    ...(detail !== undefined && { detail }),
    ...(missing !== undefined && { missing: missing.map(questionInOrder) }),
    ...(ref !== undefined && { ref }),
  }
}

function questionInOrder({ slot, question }: ClarifyQuestion): JsonObject {
  return { ...(slot !== undefined && { slot }), question }
}

/** Returns the outputs with the longest value that a reference makes shorter replaced by it, or undefined if there is none. */
function withReference(outputs: JsonObject, { ref, paths = {} }: SkillResultMessage): JsonObject | undefined {
  let longest: { readonly name: string; readonly reference: string; readonly saved: number; readonly length: number } | undefined
  for (const [name, value] of Object.entries(outputs)) {
    const path = Object.hasOwn(paths, name) ? paths[name] : ref === undefined ? undefined : `${ref}.${name}`
    if (path === undefined || isReference(value)) continue
    const reference = `$${path}`
    const { length } = JSON.stringify(value)
    const saved = length - reference.length - 2
    if (saved > 0 && (longest === undefined || length > longest.length)) longest = { name, reference, saved, length }
  }
  if (longest === undefined) return undefined
  const { name, reference } = longest
  return Object.fromEntries(Object.entries(outputs).map(([key, value]) => [key, key === name ? reference : value]))
}

function isReference(value: Json): boolean {
  return typeof value === 'string' && value.startsWith('$work.')
}

/** Returns questions that are one step shorter, or undefined if they cannot be. */
function shorterQuestions(questions: readonly ClarifyQuestion[]): readonly ClarifyQuestion[] | undefined {
  for (const words of QUESTION_WORDS) {
    const shorter = questions.map((each) => ({
      ...each,
      question: words === 0 ? (each.slot ?? firstWords(each.question, 1)) : firstWords(each.question, words),
    }))
    if (shorter.some(({ question }, i) => question.length < (questions[i]?.question.length ?? 0))) return shorter
  }
  return questions.length > 1 ? questions.slice(0, -1) : undefined
}

function firstWords(text: string, count: number): string {
  const words = text.trim().split(/\s+/)
  return words.length <= count ? text.trim() : `${words.slice(0, count).join(' ')}…`
}

/** Returns a text without its last word; undefined if it has one word only. */
function withoutLastWord(text: string): string | undefined {
  const words = text.split(' ')
  return words.length > 1 ? `${words.slice(0, -1).join(' ')}…` : undefined
}
