import { createModels } from '../../src/models/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type AgentCall, dispatch, type Dispatcher } from '../../src/agents/index.ts'
import { createPolicy } from '../../src/policy/index.ts'
import { filterEdges } from '../../src/kinds/workflow/guards/guards.ts'
import type { Workflow } from '../../src/kinds/workflow/types/index.ts'
import { folder, Sandbox, tools } from '../tools/workshop.ts'
import { board, written } from './workshop.ts'
import { settingsWith } from '../policy/settings.ts'

const repo = { from: 'repo', else: '.' }

/** The first example, as data: everything in it is decided by rules, tools and one person. */
const release: Workflow = {
  id: 'release-review',
  entry: 'last',
  nodes: {
    last: { id: 'last', spec: { tool: 'git.tag', args: { repo }, writes: { tag: 'tag', next: 'next' } } },
    history: {
      id: 'history',
      spec: { tool: 'git.log', args: { repo, since: { from: 'tag' } }, writes: { commits: 'commits', count: 'count' } },
    },
    classify: {
      id: 'classify',
      spec: {
        classify: {
          from: 'commits',
          by: ['subject', 'body'],
          into: 'changes',
          keep: ['hash', 'subject'],
          rules: [
            { match: '^\\w+(\\(.*\\))?!:|^BREAKING[ -]CHANGE: ', flags: 'm', class: 'breaking' },
            { match: '^feat(\\(.*\\))?:', class: 'feature' },
            { match: '^fix(\\(.*\\))?:', class: 'fix' },
          ],
        },
      },
    },
    breaking: {
      id: 'breaking',
      spec: {},
      invokes: { workflowId: 'breaking-changes', returnMap: [{ parentKey: 'note', childKey: 'note' }] },
    },
    propose: {
      id: 'propose',
      spec: {
        rules: [
          {
            when: { type: 'above', key: 'changes.counts.breaking', value: 0 },
            go: 'MAJOR',
            because: 'breaking = {{changes.counts.breaking}}',
            writes: { version: { from: 'next.major' } },
          },
          { when: { type: 'above', key: 'changes.counts.feature', value: 0 }, go: 'MINOR', writes: { version: { from: 'next.minor' } } },
          { go: 'PATCH', writes: { version: { from: 'next.patch' } } },
        ],
      },
    },
    approve: {
      id: 'approve',
      spec: {
        ask: 'Release {{count}} commits as {{version}}?',
        options: [
          { event: 'YES', label: 'Yes', detail: 'write RELEASE_NOTES.md' },
          {
            value: 'minor',
            event: 'YES',
            label: 'Minor',
            detail: 'release as {{next.minor}} instead',
            writes: { version: { from: 'next.minor' } },
          },
          { event: 'NO', label: 'No' },
        ],
      },
    },
    write: {
      id: 'write',
      spec: {
        tool: 'file.write',
        args: {
          path: 'RELEASE_NOTES.md',
          text: '# {{version}}\n\n{{#note}}\n{{note}}\n\n{{/note}}\n{{#changes.groups.feature}}\n- {{subject}}\n{{/changes.groups.feature}}\n{{#changes.groups.fix}}\n- {{subject}}\n{{/changes.groups.fix}}\n',
        },
        writes: { notes: 'path' },
      },
    },
    stop: { id: 'stop', spec: {} },
  },
  edges: [
    { id: 'last:next', from: 'last', to: 'history', event: 'NEXT' },
    { id: 'history:next', from: 'history', to: 'classify', event: 'NEXT' },
    { id: 'classify:next', from: 'classify', to: 'breaking', event: 'NEXT' },
    { id: 'breaking:next', from: 'breaking', to: 'propose', event: 'NEXT' },
    { id: 'major', from: 'propose', to: 'approve', event: 'MAJOR' },
    { id: 'minor', from: 'propose', to: 'approve', event: 'MINOR' },
    { id: 'patch', from: 'propose', to: 'approve', event: 'PATCH' },
    { id: 'yes', from: 'approve', to: 'write', event: 'YES' },
    { id: 'no', from: 'approve', to: 'stop', event: 'NO' },
  ],
}

const breaking: Workflow = {
  id: 'breaking-changes',
  entry: 'look',
  nodes: {
    look: {
      id: 'look',
      spec: {
        rules: [
          { when: { type: 'above', key: 'changes.counts.breaking', value: 0 }, go: 'SOME' },
          { go: 'NONE', writes: { note: 'none' } },
        ],
      },
    },
    collect: {
      id: 'collect',
      spec: {
        tool: 'git.show',
        args: { repo, commit: { from: 'changes.groups.breaking.0.hash' } },
        writes: { shown: '.' },
        extract: [
          { from: 'shown.diff', match: '^\\+export (?:async )?(?:function|const|class) (\\w+)', into: 'added' },
          { from: 'shown.diff', match: '^-export (?:async )?(?:function|const|class) (\\w+)', into: 'removed', without: 'added' },
          { from: 'shown.body', match: '^BREAKING[ -]CHANGE: (.+)$', into: 'said', first: true },
        ],
      },
    },
    describe: { id: 'describe', spec: { pick: { note: [{ from: 'said' }, 'removed: {{removed}}'] } } },
    none: { id: 'none', spec: {} },
  },
  edges: [
    { id: 'some', from: 'look', to: 'collect', event: 'SOME' },
    { id: 'nothing', from: 'look', to: 'none', event: 'NONE' },
    { id: 'collect:next', from: 'collect', to: 'describe', event: 'NEXT' },
  ],
}

/** Drives a workflow as the engine would, with one answer for every question. Gives what was decided, and the board. */
async function drive(
  agent: Dispatcher,
  workflow: Workflow,
  values: Record<string, unknown>,
  call: AgentCall,
  answer: string,
  story: string[],
): Promise<Record<string, unknown>> {
  for (let at: string | undefined = workflow.entry; at !== undefined; ) {
    const node = workflow.nodes[at]
    if (node === undefined) throw new Error(at)
    if (node.invokes !== undefined) {
      const child = await drive(agent, breaking, { ...values }, call, answer, story)
      for (const { parentKey, childKey } of node.invokes.returnMap) values[parentKey] = child[childKey]
    }
    const sorted = filterEdges(
      workflow.edges.filter(({ from }) => from === at),
      board(values),
    )
    if (!sorted.ok) throw sorted.error
    const context = { workflow, node, blackboard: board(values), validEdges: sorted.open, stack: [] }
    let decision = await agent.resolve(context, call)
    if (decision.type === 'suspend') {
      story.push(`${at}? ${decision.ask?.text} ${decision.ask?.options?.map(({ value }) => value).join(' ')}`)
      decision = await agent.resolve({ ...context, input: answer }, call)
    }
    Object.assign(values, written(decision))
    story.push(`${at}: ${decision.by}${decision.because === undefined ? '' : ` → ${decision.because}`}`)
    at = decision.type === 'advance' ? workflow.edges.find(({ id }) => id === decision.edge)?.to : undefined
  }
  return values
}

async function run(repository: Sandbox, answer: string): Promise<{ story: string[]; values: Record<string, unknown>; notes: string }> {
  const runFolder = join(repository.root, '.reflex/runs/heron')
  const policy = createPolicy({})
  const agent = dispatch({
    tools: tools(),
    models: createModels({ host: virtualHost() }),
    workdir: repository.root,
    allows: (call, capability) => call !== undefined && policy.judgeCall(call, capability).allowed,
    denies: () => false,
  })
  expect([...agent.check(release), ...agent.check(breaking)]).toEqual([])
  const story: string[] = []
  const call: AgentCall = {
    run: 'heron',
    settings: settingsWith({ workdir: repository.root, folder: runFolder }),
    untrusted: false,
    signal: new AbortController().signal,
    key: 'heron:1',
    isPermitted: () => false,
    part: () => undefined,
  }
  const values = await drive(agent, release, {}, call, answer, story)
  return { story, values, notes: typeof values['notes'] === 'string' ? readFileSync(join(repository.root, values['notes']), 'utf8') : '' }
}

describe('a release review', () => {
  // proves: workflow 4.1b
  it('reads history, explains what broke, proposes, asks, and writes notes', async () => {
    const repository = new Sandbox(folder())
    repository.commit('first', { 'a.ts': 'export function parse() {}\nexport const a = 1\n' })
    repository.git('tag', 'v1.4.2')
    repository.commit('feat: load files', { 'a.ts': 'export function parse() {}\nexport function load() {}\nexport const a = 1\n' })
    repository.commit('fix: a crash')
    const gone = repository.commit('feat!: drop the old way\n\nBREAKING CHANGE: parse() is gone, use load()', {
      'a.ts': 'export function load() {}\n',
    })
    const { story, values, notes } = await run(repository, 'yes')
    expect(story).toEqual([
      'last: tool git.tag → v1.4.2',
      'history: tool git.log → v1.4.2..HEAD → 3 commits',
      'classify: rules → 1 breaking, 1 feature, 1 fix',
      'look: rules → changes.counts.breaking = 1, above 0',
      `collect: tool git.show → ${gone.slice(0, 7)} feat!: drop the old way, 1 file; 0 added; 2 removed; said “parse() is gone, use load()”`,
      'describe: rules → note “parse() is gone, use load()”',
      'breaking: rules',
      'propose: rules → breaking = 1',
      'approve? Release 3 commits as 2.0.0? YES minor NO',
      'approve: a person → Yes',
      'write: tool file.write → RELEASE_NOTES.md, 6 lines',
    ])
    expect(values).toMatchObject({ version: '2.0.0', note: 'parse() is gone, use load()' })
    expect(notes).toBe('# 2.0.0\n\nparse() is gone, use load()\n\n- feat: load files\n- fix: a crash\n')
  })

  it('works without a tag and without a breaking change, and follows who decides otherwise', async () => {
    const repository = new Sandbox(folder())
    repository.commit('feat: one')
    const { story, values } = await run(repository, 'Minor')
    expect(story).toContain('last: tool git.tag → no tag yet')
    expect(story).toContain('history: tool git.log → all of HEAD → 1 commit')
    expect(story).toContain('look: rules → no other rule applies')
    expect(values).toMatchObject({ note: 'none', version: '0.1.0' })
  })
})
