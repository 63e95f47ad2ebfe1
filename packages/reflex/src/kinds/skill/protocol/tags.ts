/** The tags that a model may write, each the name of a block. */
export const EXECUTABLE_TAGS = ['SKILL_PROPOSE', 'CLARIFY'] as const
/** The tags that only Reflex writes: a block of a model with one of them is removed. */
export const FORGED_TAGS = ['SKILL_RESULT', 'SKILL_BULLETIN'] as const

export type BlockTag = (typeof EXECUTABLE_TAGS)[number] | (typeof FORGED_TAGS)[number]

/** The texts with which a block begins. A bulletin has attributes, so what follows its name decides. */
const OPENINGS: readonly (readonly [opening: string, tag: BlockTag])[] = [
  ['<SKILL_PROPOSE>', 'SKILL_PROPOSE'],
  ['<CLARIFY>', 'CLARIFY'],
  ['<SKILL_RESULT>', 'SKILL_RESULT'],
  ['<SKILL_BULLETIN>', 'SKILL_BULLETIN'],
  ['<SKILL_BULLETIN ', 'SKILL_BULLETIN'],
  ['<SKILL_BULLETIN/', 'SKILL_BULLETIN'],
]

/** The length of the longest tag, `</SKILL_BULLETIN>`. */
export const LONGEST_TAG = 17
/** The most spaces before a tag: four make code of a line. */
export const MAX_INDENT = 3
/** The most bytes of a body, in UTF-8 (reference skill 1.12, rule 4). */
export const MAX_BODY_BYTES = 8192

/** Returns the tag that a text opens, or whether it may still become one. */
export function openingOf(text: string): BlockTag | 'partial' | undefined {
  const found = OPENINGS.find(([opening]) => opening.startsWith(text))
  if (found === undefined) return undefined
  return found[0] === text ? found[1] : 'partial'
}

/** Returns true if a text ends with the beginning of any block. */
export function endsWithOpening(text: string): boolean {
  return OPENINGS.some(([opening]) => text.endsWith(opening))
}

/** Returns the text that ends a block. */
export function closingOf(tag: BlockTag): string {
  return `</${tag}>`
}

/** True for a tag of a block that a model may write. */
export function isExecutable(tag: BlockTag): tag is (typeof EXECUTABLE_TAGS)[number] {
  return tag === 'SKILL_PROPOSE' || tag === 'CLARIFY'
}

/** Returns a block with a body that cannot end it: no `<` of the JSON text remains. */
export function blockText(tag: BlockTag, json: string): string {
  return `<${tag}>${json.replaceAll('<', '\\u003c')}</${tag}>`
}
