import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { composeBulletin } from '../../../../src/kinds/skill/bulletin/bulletin.ts'
import { ESTIMATE } from '../../../../src/kinds/skill/bulletin/tokens.ts'
import { evaluateRule, variablesOf } from '../../../../src/kinds/skill/gate/rules.ts'
import { bindSkill } from '../../../../src/kinds/skill/gate/skill.ts'
import { functionTable } from '../../../../src/kinds/skill/gate/functions.ts'
import { decodeSkill } from '../../../../src/kinds/skill/manifest/read-skill.ts'
import { readSlotValue } from '../../../../src/kinds/skill/manifest/slot-values.ts'
import { ReplyReader } from '../../../../src/kinds/skill/protocol/reply-reader.ts'
import { reflex, workFolder } from '../../../cli/worlds.ts'
import { snapshot } from '../gate/support.ts'
import { tool } from '../skills.ts'
import { type Attack, type Came, NOTHING } from './attack.ts'
import { manifestOf, MANY, skillOf, textOf } from './given.ts'

/** How each sort of text is read: by the command, where it reads such a text. */
export const READERS: Readonly<Record<string, (attack: Attack) => Came | Promise<Came>>> = {
  manifest: (attack) => byCommand(attack, 'it.skill.json', ['validate', 'it.skill.json']),
  transcript: (attack) => byCommand(attack, 'it.jsonl', ['learn', 'import', 'it.jsonl', '--json']),
  rule(attack) {
    const [rule] = skillOf(attack).invariants
    if (rule === undefined) throw new Error('the attack has no rule')
    const result = evaluateRule(rule, variablesOf(VARIABLES))
    return { ...NOTHING, told: 'error' in result ? result.error : `it is ${result.value}` }
  },
  pattern(attack) {
    const [slot] = skillOf(attack).manifest.signature.inputs
    if (slot === undefined) throw new Error('the attack has no slot')
    const read = readSlotValue(slot, attack.value ?? '')
    return { ...NOTHING, ...('problem' in read ? { told: read.problem } : { outcome: 'accepted' }) }
  },
  pieces({ pieces = [] }) {
    const reader = new ReplyReader()
    const seen = pieces.map((piece) => reader.text(piece))
    const { text, outcome } = reader.end()
    return { ...NOTHING, shown: [...seen, text].join(''), told: JSON.stringify(outcome) }
  },
  bulletin(attack) {
    const table = functionTable([])
    const host = { tools: [tool('set_tag')], functions: table.expressionFunctions, facts: [] }
    const read = MANY.map((id) => decodeSkill({ ...manifestOf(attack), id }, host))
    // A text that speaks the protocol is refused before any bulletin.
    const refused = read.flatMap(({ skill, findings }) => (skill === undefined ? findings.map(String) : []))
    if (refused.length > 0) return { ...NOTHING, told: refused.join('\n') }
    const skills = read.flatMap(({ skill }) =>
      skill === undefined
        ? []
        : [{ skill: bindSkill(skill, table), state: 'active' as const, stats: { successes: 0, runs: 0 }, followed: 0 }],
    )
    const turn = { ...snapshot(), tools: ['set_tag'], userText: 'release it', board: { ctx: { tag: 'v1' }, env: {}, work: {}, policy: {} } }
    const { text } = composeBulletin(skills, turn, {
      turn: 'one',
      kCards: 5,
      carrier: 'text',
      epsilon: 0,
      transitions: { executed: 0, skills: 1 },
      done: new Set(),
    })
    return shownToModel(text)
  },
}

/** What an expression of an attack reads. */
export const VARIABLES = {
  ctx: { list: Array.from({ length: 1000 }, (_, i) => i) },
  env: {},
  work: {},
  policy: {},
  args: {},
  principal: {},
}

/** The tokens of a bulletin (seed skill 12). */
const MOST_TOKENS = 600

export function shownToModel(text: string): Came {
  return { ...NOTHING, sent: text, told: text, outcome: ESTIMATE.count(text) > MOST_TOKENS ? 'oversized' : 'fits' }
}

/** Reads the text of an attack by the command. Its document of an import is told as well. */
async function byCommand(attack: Attack, name: string, words: readonly string[]): Promise<Came> {
  const folder = workFolder()
  const file = join(folder, name)
  writeFileSync(file, textOf(attack))
  const { code, out, err } = await reflex(words, { folder })
  if (readFileSync(file, 'utf8') !== textOf(attack)) throw new Error('the command has changed the file')
  const isPolluted = 'polluted' in {}
  return {
    ...NOTHING,
    told: `${out}${err}`,
    outcome: isPolluted ? 'polluted' : code === 0 ? 'accepted' : code === 1 || code === 2 ? 'refused' : 'crashed',
  }
}
