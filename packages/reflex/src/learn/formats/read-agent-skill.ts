import type { JsonObject } from '../../kernel/index.ts'
import { faults } from '../registry/faults.ts'

/** An Agent Skill as a manifest without a plan. */
export interface TextDraft {
  readonly id: string
  /** The text of a manifest that cannot be read yet: it has no step. */
  readonly draft: JsonObject
}

/** The file, and who wants the skill. */
export interface ImportedText {
  readonly file: string
  readonly owner: string
}

const [LONGEST_TITLE, LONGEST_DESCRIPTION, LONGEST_TEXT] = [80, 280, 32_000]
const NAME = /^[a-z0-9-]{1,64}$/

/**
 * Reads the `SKILL.md` of an Agent Skill. Its text says what to do in words, so nothing of it becomes a step: the draft has none, and is refused as
 * a manifest until somebody writes them (reference skill 186). Throws `R1484`.
 */
export function readAgentSkill(text: string, { file, owner }: ImportedText): TextDraft {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  const end = lines.indexOf('---', 1)
  if (lines[0] !== '---' || end < 0) throw notAgentSkill(file, 'it does not begin with its fields between two lines ---')
  const fields = fieldsOf(lines.slice(1, end))
  const name = fields.get('name') ?? ''
  if (!NAME.test(name)) throw notAgentSkill(file, 'its name is not 1 to 64 lower-case letters, digits and hyphens')
  const description = fields.get('description') ?? ''
  if (description === '') throw notAgentSkill(file, 'it has no description')
  const body = lines
    .slice(end + 1)
    .join('\n')
    .trim()
  const id = idOf(name)
  const draft: JsonObject = {
    schema: 'reflex.capability/1',
    id,
    version: '0.1.0',
    title: (/^# +(\S.*)$/m.exec(body)?.[1] ?? name).slice(0, LONGEST_TITLE),
    description: description.slice(0, LONGEST_DESCRIPTION),
    owner,
    compat: {},
    signature: { inputs: [], outputs: [] },
    plan: { steps: [] },
    x_imported: { from: 'SKILL.md', name, text: body.slice(0, LONGEST_TEXT) },
  }
  return { id, draft }
}

/** An id begins with a letter, and its parts are separated by points. */
function idOf(name: string): string {
  const words = name.split('-').filter((word) => word !== '')
  const [first = 'skill', ...rest] = words
  const head = /^[a-z]/.test(first) ? first : `skill_${first}`
  return [head, ...(rest.length === 0 ? [] : [rest.map((word) => word).join('_')])].join('.').replace(/\.(\d)/, '.n$1')
}

/** Reads fields on one line each, and texts that go on in indented lines. Fields inside of others are left out. */
function fieldsOf(lines: readonly string[]): ReadonlyMap<string, string> {
  const fields = new Map<string, string>()
  let open: string | undefined
  for (const line of lines) {
    const colon = line.indexOf(':')
    if (/^[A-Za-z]/.test(line) && colon > 0) {
      const value = line.slice(colon + 1).trim()
      open = ['', '>', '|', '>-', '|-'].includes(value) ? line.slice(0, colon) : undefined
      fields.set(line.slice(0, colon), open === undefined ? unquoted(value) : '')
    } else if (open !== undefined && line.startsWith(' ')) {
      fields.set(open, `${fields.get(open) ?? ''} ${line.trim()}`.trim())
    }
  }
  return fields
}

function unquoted(value: string): string {
  if (value.startsWith("'") && value.endsWith("'") && value.length > 1) return value.slice(1, -1).replaceAll("''", "'")
  if (!value.startsWith('"')) return value
  try {
    const read = JSON.parse(value) as unknown
    return typeof read === 'string' ? read : value
  } catch {
    return value
  }
}

function notAgentSkill(file: string, why: string): Error {
  return faults.make('R1484', `this is no Agent Skill: ${why}`, {
    file,
    fix: 'begin the file with ---, name: NAME, description: TEXT, and ---',
  })
}
