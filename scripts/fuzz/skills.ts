import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Reflex } from '../../packages/reflex/src/app/reflex.ts'
import { digest, type Json, type JsonObject } from '../../packages/reflex/src/kernel/index.ts'
import { composeBulletin } from '../../packages/reflex/src/kinds/skill/bulletin/bulletin.ts'
import { ESTIMATE } from '../../packages/reflex/src/kinds/skill/bulletin/tokens.ts'
import { decide } from '../../packages/reflex/src/kinds/skill/gate/decide.ts'
import { functionTable } from '../../packages/reflex/src/kinds/skill/gate/functions.ts'
import { type BoundSkill, bindSkill } from '../../packages/reflex/src/kinds/skill/gate/skill.ts'
import { manifestJson } from '../../packages/reflex/src/kinds/skill/manifest/canonical.ts'
import { compileSkill, readSkill, type SkillHost } from '../../packages/reflex/src/kinds/skill/manifest/read-skill.ts'
import type { GateSnapshot } from '../../packages/reflex/src/kinds/skill/model/decision.ts'
import type { Slot } from '../../packages/reflex/src/kinds/skill/model/slot.ts'
import { compileValue } from '../../packages/reflex/src/kinds/skill/templates/compiled-value.ts'
import { ROOTS, type TemplateScope, type TemplateValues } from '../../packages/reflex/src/kinds/skill/templates/scope.ts'
import { importTranscripts, type ImportWorld } from '../../packages/reflex/src/learn/formats/import-transcripts.ts'
import { skillFolder } from '../../packages/reflex/src/learn/formats/skill-markdown.ts'
import { changed, HOST as TESTED } from '../../packages/reflex/test/kinds/skill/skills.ts'
import type { Door } from './door.ts'
import { BULLETINS, TEMPLATES } from './skill-seeds.ts'
import type { Subject } from './subject.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/** Manifests of skills, their templates, bulletins made of their texts, and transcripts of other agents. */
export function skillSubjects(): readonly Subject[] {
  return [
    { name: 'skill-manifest', seeds: manifests(), try: tryManifest },
    { name: 'skill-template', seeds: TEMPLATES, try: tryTemplate },
    { name: 'skill-bulletin', seeds: BULLETINS, try: tryBulletin },
    { name: 'transcript', seeds: files('cases/skill/import/*/!(expected.json)'), try: tryTranscript },
  ]
}

function files(...patterns: readonly string[]): readonly string[] {
  const paths = patterns.flatMap((pattern) => globSync(pattern, { cwd: ROOT })).toSorted()
  return paths.map((path) => readFileSync(resolve(ROOT, path), 'utf8'))
}

/** The manifests of the cases: most often the base, and the base with one rule broken for each rule. */
function manifests(): readonly string[] {
  const [base = ''] = files('cases/skill/manifest/base.json')
  const rules = files('cases/skill/manifest/rules/*.json').map((text) =>
    JSON.stringify(changed(JSON.parse(base), JSON.parse(text) as Parameters<typeof changed>[1]), undefined, 2),
  )
  return [...rules, ...rules.map(() => base), ...files('cases/skill/samples/*/*.json', 'examples/**/*.skill.json')]
}

const TABLE = functionTable([])
const HOST: SkillHost = { ...TESTED, functions: TABLE.expressionFunctions }

/** Reads a manifest. What was read is the same skill after it was stored, decides on any proposal, and can be given to other agents. */
async function tryManifest(text: string, door: Door): Promise<void> {
  await door.read('program.skill.json', text)
  const { skill, findings } = readSkill(text, 'program.skill.json', HOST)
  door.judge(findings, text)
  if (skill === undefined) {
    if (findings.length === 0) throw new Error('it is refused without a reason')
    return
  }
  const { skill: again } = compileSkill(skill.manifest, HOST)
  if (again?.hash !== skill.hash) throw new Error('what was stored is another skill')
  JSON.stringify(manifestJson(skill.manifest))
  skillFolder(skill.manifest)
  const bound = bindSkill(skill, TABLE)
  const record = JSON.stringify(decideOn(bound, text))
  if (JSON.stringify(decideOn(bound, text)) !== record) throw new Error('it is decided otherwise the second time')
}

/** A decision on a proposal whose inputs are parts of a text. */
function decideOn(bound: BoundSkill, text: string): JsonObject {
  const names = bound.manifest.signature.inputs.map(({ name }) => name)
  const inputs = Object.fromEntries(names.map((name, i): [string, Json] => [name, text.slice(i * 7, i * 7 + (text.length % 90))]))
  return decide(bound, snapshot(text), { carrier: 'text', skill_ref: bound.manifest.id, inputs }) as unknown as JsonObject
}

function snapshot(userText: string): GateSnapshot {
  return {
    now: '2026-01-05T00:00:00.000Z',
    project: 'acme',
    facts: { env: 'staging', toolset: '6.1.0' },
    principal: { id: 'ana', roles: ['Release'] },
    state: 'active',
    tools: ['deploy', 'read', 'shell'],
    board: { ctx: { open: true, user: 'ana' }, env: {}, work: {}, policy: {} },
    hostFacts: {},
    stats: { successes: 1, runs: 2 },
    tau: 0.85,
    policyMode: 'enforce',
    functionResults: [],
    confirmed: [],
    parsed: [],
    userText: userText.slice(0, 4000),
  }
}

const slot = (name: string, type: Slot['type']): Slot => ({
  name,
  type,
  required: true,
  maxLength: 1024,
  description: '',
  sensitive: type === 'secret_ref',
})
const SLOTS = [
  slot('s', 'string'),
  slot('n', 'integer'),
  slot('o', 'json'),
  slot('label', 'hostname_label'),
  slot('dir', 'path'),
  slot('url', 'url'),
]
const SCOPE: TemplateScope = { slots: new Map(SLOTS.map((one) => [one.name, one])), steps: new Set(['look']), roots: new Set(ROOTS) }
const EXEC = { id: 'e1', trace_id: 't1', started_at: '2026-01-01T00:00:00Z', attempt: 1 }
const HOSTILE = [
  'plain',
  '; touch f',
  '$(id)',
  '`id`',
  '\' "',
  '-rf',
  '../x',
  'evil.example/#',
  '{{work.x}}',
  '\n',
  '\0',
  '*',
  '\ud800',
  'a b',
]

/** Compiles a text as an argument, as a command and as a script. Values make no argument, end none, and are no part of a script. */
function tryTemplate(text: string): Promise<void> {
  for (const shell of [undefined, false, true]) {
    const command = shell === undefined ? {} : { command: { argument: 'cmd', shell } }
    const { value, problems } = compileValue({ cmd: text }, SCOPE, { secrets: true, ...command })
    if (problems.some(({ rule }) => rule.startsWith('E_'))) continue
    const forms = HOSTILE.flatMap((hostile) => {
      const rendered = value.render(valuesOf(hostile))
      return rendered.ok ? [(rendered.value as { readonly cmd: Json }).cmd] : []
    })
    if (shell === undefined) continue
    const lengths = new Set(forms.map((form) => (form as readonly string[]).length))
    if (lengths.size > 1) throw new Error(`a value changes the number of arguments: ${[...lengths].join(', ')}`)
    if (shell && new Set(forms.map((form) => (form as readonly string[])[2])).size > 1) throw new Error('a value is in the script')
  }
  return Promise.resolve()
}

function valuesOf(hostile: string): TemplateValues {
  const slots = { s: hostile, n: 5, o: { a: [hostile] }, label: 'pay', dir: 'a/b', url: 'https://a.example/x' }
  return { slots, ctx: {}, env: {}, work: { x: hostile }, steps: { look: { result: hostile } }, exec: EXEC }
}

/** The tokens of a bulletin, and the lines beside those of its cards (seed skill 12). */
const [MOST_TOKENS, FRAME, CARDS] = [600, 4, 5]

/** Shows skills whose texts are a mutant. They are one block of the model, with one line for each skill. */
function tryBulletin(text: string, door: Door): Promise<void> {
  const [description = '', title = '', keyword = ''] = text.split('\n---\n')
  const source = { ...BASE, description, title, activation: { ...BASE.activation, keywords_any: ['deploy', keyword] } }
  const skills = [0, 1, 2, 3, 4, 5, 6].flatMap((n) => {
    const { skill, findings } = readSkill(JSON.stringify({ ...source, id: `deploy.app_${n}` }), 'program.skill.json', HOST)
    door.judge(findings, text)
    return skill === undefined
      ? []
      : [{ skill: bindSkill(skill, TABLE), state: 'active' as const, stats: { successes: 0, runs: 0 }, followed: 0 }]
  })
  const options = {
    turn: 'one',
    kCards: CARDS,
    carrier: 'text',
    epsilon: 0,
    transitions: { executed: 0, skills: 1 },
    done: new Set<string>(),
  } as const
  const { text: shown } = composeBulletin(skills, snapshot(`deploy ${text}`), options)
  if (shown === '') return Promise.resolve()
  const tags = shown.match(/<\/?[A-Za-z_]+/g) ?? []
  if (tags.join(' ') !== '<SKILL_BULLETIN </SKILL_BULLETIN') throw new Error(`the bulletin has the tags ${tags.join(' ')}`)
  if (ESTIMATE.count(shown) > MOST_TOKENS) throw new Error(`the bulletin has ${ESTIMATE.count(shown)} tokens`)
  if (shown.split(/[\n\r\u2028\u2029\u0085]/).length > CARDS + FRAME) throw new Error('a text has more than its line')
  return Promise.resolve()
}

const BASE = {
  id: 'deploy.app',
  version: '1.0.0',
  owner: 'platform',
  compat: {},
  signature: { inputs: [{ name: 'app', type: 'hostname_label' }], outputs: [] },
  preconditions: { tools_available: ['read'] },
  plan: {
    steps: [{ id: 'look', tool: 'read', args: { app: '{{app}}' } }],
    compensation: 'none',
    irreversible_reason: 'a call',
    idempotence_key: '{{app}}',
  },
  effects: { external: ['read:app'] },
  activation: { score_weights: { keyword_hit: 1 }, tau: 1 },
}

/** Imports a transcript twice: the second time nothing is new, and what was written is the same. */
async function tryTranscript(text: string, door: Door): Promise<void> {
  const reflex = new Reflex({ store: 'memory:' })
  const world: ImportWorld = { reflex, clean: (value) => value }
  const stored = async (): Promise<string> =>
    digest(JSON.stringify((await reflex.store.runs()).map(({ id, last, value }) => [id, last, value])))
  try {
    const first = await importTranscripts(world, { chunks: chunksOf(text), file: 'it.jsonl' })
    door.judge(first.findings, text)
    const before = await stored()
    const second = await importTranscripts(world, { chunks: chunksOf(text), file: 'it.jsonl' })
    if ((await stored()) !== before) throw new Error('what is imported again is something else')
    if (second.runs.some(({ isKnown }) => !isKnown)) throw new Error('what is imported again is new')
  } finally {
    await reflex.close()
  }
}

async function* chunksOf(text: string): AsyncGenerator<string> {
  yield text
}
