import { isObject, type Json } from '../../kernel/index.ts'
import type { MUTATIONS, VALUE_MUTATIONS } from '../../kinds/skill/manifest/mutations.ts'
import { readSlotValue } from '../../kinds/skill/manifest/slot-values.ts'
import type { Slot, SlotType } from '../../kinds/skill/model/slot.ts'
import type { Draw } from './draw.ts'

/** The text that no call may contain: a template that a value brings would put it there. */
export const CANARY = 'reflex-canary-7f3a'
export const CANARY_PATH = 'reflex_canary'

/** Letters, and others that look like them. */
const CONFUSABLE: Readonly<Record<string, string>> = {
  a: '\u0430',
  e: '\u0435',
  o: '\u043e',
  p: '\u0440',
  c: '\u0441',
  x: '\u0445',
  i: '\u0456',
}

const MOST_TEXT = 100_000

/** Returns a changed value of a slot; undefined if the mutation does not apply to the slot or its value. */
type SlotMutation = (slot: Slot, base: string, draw: Draw) => Json | undefined

/** The mutations of values (reference skill 1.23). `base` is the value of the case, as text. */
export const SLOT_MUTATIONS: Readonly<Record<string, SlotMutation>> = {
  empty_string: () => '',
  wrong_type: ({ type }, _, draw) => {
    if (type === 'json') return undefined
    return isScalar(type) ? 'not-of-this-type' : draw.pick<Json>([12, true, ['text'], { text: 'text' }, null])
  },
  overlong: ({ type, maxLength }, base) => (isText(type) ? base.padEnd(Math.min(maxLength + 1, MOST_TEXT), 'a') : undefined),
  unicode_confusable: textual((base) => {
    const [letter] = /[aeopcxi]/.exec(base) ?? []
    return letter === undefined ? `${base}\u200b` : base.replace(letter, CONFUSABLE[letter] ?? letter)
  }),
  shell_meta: textual(
    (base, draw) =>
      `${base}${draw.pick(['; id', ' && id', '$(id)', '`id`', ' | id', "' id '", '" id "', '\nid', ' > /tmp/x', ' *']) ?? ''}`,
  ),
  leading_dash: textual((base, draw) => draw.pick([`-${base}`, `--config=${base}`, '-o/etc/passwd', '--']) ?? '-'),
  path_traversal: textual(
    (base, draw) => draw.pick(['../../etc/passwd', `${base}/../../x`, '/etc/passwd', '..', '..\\..\\x', '%2e%2e/x']) ?? '..',
  ),
  url_authority: textual(
    (base, draw) =>
      draw.pick([
        `${base}@evil.example`,
        `${base}.evil.example#`,
        'evil.example/',
        `//evil.example/${base}`,
        `${base}:8443`,
        'https://user@evil.example/',
      ]) ?? '@',
  ),
  template_injection: textual(
    (base, draw) => draw.pick([`{{work.${CANARY_PATH}}}`, `${base}{{work.${CANARY_PATH}}}`, `{{ work.${CANARY_PATH} }}`]) ?? '{{',
  ),
} satisfies Readonly<Record<(typeof VALUE_MUTATIONS)[number], SlotMutation>>

/** The mutations that attack: not one of them may get through, whatever the rate of the others is. */
export const SECURITY: ReadonlySet<string> = new Set<(typeof MUTATIONS)[number]>([
  'unicode_confusable',
  'shell_meta',
  'leading_dash',
  'path_traversal',
  'url_authority',
  'template_injection',
  'policy_deny',
])

function textual(change: (base: string, draw: Draw) => string): SlotMutation {
  return ({ type }, base, draw) => (isText(type) || type === 'json' ? change(base, draw) : undefined)
}

function isScalar(type: SlotType): boolean {
  return type === 'integer' || type === 'number' || type === 'boolean'
}

function isText(type: SlotType): boolean {
  return !isScalar(type) && type !== 'json'
}

/** A valid value of each type. */
const VALID: Readonly<Partial<Record<SlotType, readonly Json[]>>> = {
  url: ['https://alternative.example/page'],
  path: ['alternative/file.txt'],
  hostname_label: ['alternative-1'],
  hostname: ['alternative.example.com'],
  email: ['alternative@example.com'],
  semver: ['9.8.7'],
  image_ref: ['registry.example.com/alternative/image:9'],
  uuid: ['00000000-0000-4000-8000-000000000001'],
  datetime: ['2026-02-03T04:05:06Z'],
  json: [{ alternative: true }],
  secret_ref: ['vault://alternative'],
  boolean: [true, false],
}

/** Returns another valid value of a slot; undefined if none is found. */
export function otherValue(slot: Slot, base: Json): Json | undefined {
  const text = typeof base === 'string' ? base : ''
  const number = typeof base === 'number' ? base : (slot.min ?? 0)
  const candidates: readonly Json[] = [
    ...(slot.enum ?? []),
    ...(VALID[slot.type] ?? []),
    ...(slot.type === 'integer' || slot.type === 'number'
      ? [number + 1, number - 1]
      : ['alternative', `${text}b`, text.slice(0, -1), withOtherDigits(text)]),
  ]
  return candidates.find((value) => {
    const read = readSlotValue(slot, value)
    return 'value' in read && JSON.stringify(read.value) !== JSON.stringify(base) && (!isObject(value) || slot.type === 'json')
  })
}

function withOtherDigits(text: string): string {
  return text.replace(/\d/g, (digit) => String((Number(digit) + 1) % 10))
}
