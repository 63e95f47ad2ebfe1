import { digest, type Json } from '../../kernel/index.ts'
import { manifestJson } from '../../kinds/skill/manifest/canonical.ts'
import type { Manifest } from '../../kinds/skill/model/manifest.ts'

/** The longest name, description and note of compatibility that readers of Agent Skills accept (agentskills.io). */
const LONGEST_NAME = 64
const LONGEST_DESCRIPTION = 1024
const LONGEST_COMPATIBILITY = 500
/** Words that no name may have. */
const RESERVED: readonly string[] = ['anthropic', 'claude']

/** A skill as the folder of an Agent Skill. */
export interface SkillFolder {
  /** The name of the folder, which is also that of the skill. */
  readonly name: string
  /** The texts of the files by their names: `SKILL.md` for people and other agents, and the manifest for Reflex. */
  readonly files: readonly (readonly [name: string, text: string])[]
}

/**
 * Returns a skill as the folder of an Agent Skill (reference skill 186). Its `SKILL.md` is text: an agent without Reflex can follow it, but nothing checks
 * its conditions or undoes its steps there. Equal manifests give equal bytes.
 */
export function skillFolder(manifest: Manifest): SkillFolder {
  const name = agentSkillName(manifest.id)
  return {
    name,
    files: [
      ['SKILL.md', markdown(name, manifest)],
      [`${name}.skill.json`, `${JSON.stringify(manifestJson(manifest), null, 2)}\n`],
    ],
  }
}

/** Returns a name of lower-case letters, digits and single hyphens, at most 64 characters. A longer id ends with digits of its digest. */
export function agentSkillName(id: string): string {
  const words = id
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '' && !RESERVED.some((reserved) => word.includes(reserved)))
  const name = words.join('-')
  const mark = digest(id).slice(0, 8)
  if (name === '') return `skill-${mark}`
  return name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME - 9).replace(/-$/, '')}-${mark}`
}

function markdown(name: string, manifest: Manifest): string {
  const { id, version, title, plan, preconditions, compat } = manifest
  const facts = Object.entries(compat).map(([key, value]) => `${key} ${String(value)}`)
  const needs = [...preconditions.tools_available.map((tool) => `the tool ${tool}`), ...facts].join(', ')
  const front = [
    '---',
    `name: ${name}`,
    `description: ${JSON.stringify(descriptionOf(manifest))}`,
    ...(needs === '' ? [] : [`compatibility: ${JSON.stringify(cut(`Needs ${plain(needs)}`, LONGEST_COMPATIBILITY))}`]),
    'metadata:',
    `  reflex-id: ${JSON.stringify(id)}`,
    `  reflex-version: ${JSON.stringify(version)}`,
    '---',
  ]
  const steps = plan.steps.map(({ tool, args }, i) => `${i + 1}. Call ${code(tool)} with\n\n${block(args)}`)
  const compensation = plan.compensation === 'none' ? [] : plan.compensation
  const undo = compensation.map(({ tool, args }) => `- Call ${code(tool)} with\n\n${block(args)}`)
  return [
    front.join('\n'),
    `# ${plain(title)}`,
    plain(manifest.description),
    ...section('Inputs', inputLines(manifest)),
    ...section(
      'Conditions',
      preconditions.invariants.map((rule) => `- ${code(rule)}`),
    ),
    ...section('Steps', steps),
    ...section('If a step fails, undo those before it', undo),
    `A value such as ${code('{{name}}')} is an input or the result of an earlier step. Reflex runs ${code(`${name}.skill.json`)}, which checks all of this.`,
  ]
    .join('\n\n')
    .concat('\n')
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`## ${title}`, lines.join('\n')]
}

function inputLines({ signature }: Manifest): readonly string[] {
  return signature.inputs.map(({ name, type, required }) => `- ${code(name)}: ${type}${required ? '' : ', optional'}`)
}

/** Returns what the skill does and when to use it. */
function descriptionOf({ title, description, activation }: Manifest): string {
  const words = [...new Set([...activation.goal_labels, ...activation.keywords_any])]
  const use = words.length === 0 ? '' : ` Use it when the user asks about: ${words.join(', ')}.`
  const says = plain(description) || plain(title) || 'A skill.'
  const closed = /[.!?]$/.test(says) ? says : `${says}.`
  return `${cut(closed, LONGEST_DESCRIPTION - Math.min(use.length, LONGEST_DESCRIPTION / 2))}${cut(plain(use, ' '), LONGEST_DESCRIPTION / 2)}`
}

/** Returns a text on one line without the marks of XML, which readers of Agent Skills refuse. */
function plain(text: string, lead = ''): string {
  const words = text
    .replace(/[<>]/g, ' ')
    .split(/\s+/)
    .filter((word) => word !== '')
  return words.length === 0 ? '' : `${lead}${words.join(' ')}`
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** Returns a text as code. Its fence is longer than any run of backticks in it. */
function code(text: string): string {
  const line = text.replace(/\s+/g, ' ')
  const fence = '`'.repeat(longestRun(line) + 1)
  return fence.length === 1 ? `${fence}${line}${fence}` : `${fence} ${line} ${fence}`
}

function block(value: Json): string {
  const text = JSON.stringify(value, null, 2)
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1))
  return [`${fence}json`, ...text.split('\n'), fence].map((line) => `   ${line}`).join('\n')
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0)
}
