import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readPipeline } from '../../../../src/kinds/pipeline/index.ts'
import type { JsonObject } from '../../../../src/kernel/index.ts'
import { renderText } from '../../../../src/kinds/pipeline/language/render.ts'
import { act, runNodes, saying, workFolder } from './session-world.ts'

describe('an action', () => {
  // proves: pipeline 4.5i, pipeline 4.5l
  it('is found by its name with points and without, and its fields are spread', async () => {
    const workdir = workFolder()
    for (const [i, name] of ['file_write', 'file.write'].entries()) {
      const went = await runNodes(
        act(name, `param.path="out/${i}.txt", context_keys="draft.content", output_prefix=file, output_key=all`),
        {
          workdir,
          initial_values: { 'draft.content': `text ${i}` },
        },
      )
      expect(readFileSync(join(workdir, `out/${i}.txt`), 'utf8')).toBe(`text ${i}`)
      const result = { path: join(workdir, `out/${i}.txt`), bytes_written: 6 }
      expect(went.context).toMatchObject({
        'exec.a.bytes_written': 6,
        'file.bytes_written': 6,
        'exec.a.result': JSON.stringify(result),
        all: result,
      })
      expect(went.context).not.toHaveProperty('last_response')
    }
  })

  // proves: pipeline 4.5j
  it('takes a value of the context before a written one, leaves out what is not there, and refuses two of one name', async () => {
    const went = await runNodes(
      act('tdd_record_attempt', 'param.iteration=1, param.max_iterations=9, context_keys="run.iteration,not.there"'),
      {
        initial_values: { 'run.iteration': '6' },
      },
    )
    expect(went.context).toMatchObject({ 'exec.a.iteration': 7, 'exec.a.exhausted': false })
    const clash = await runNodes(act('tdd_record_attempt', 'context_keys="a.iteration,b.iteration"'), {
      initial_values: { 'a.iteration': 1, 'b.iteration': 2 },
    })
    expect(clash).toMatchObject({ status: 'fail', failure_reason: saying('b.iteration') })
  })

  // proves: pipeline 4.5k, pipeline 13l
  it('that nobody knows fails, says which was meant, and its failure can be routed', async () => {
    const went =
      await runNodes(`${act('file_wrote').replace('-> done', '')} a -> done [condition="outcome=success"] a -> lost [condition="outcome=fail"]
      lost [type=transform, transform=constant, expression=yes, output_key=was_lost] lost -> done`)
    expect(went.context['was_lost']).toBe('yes')
    expect(went.node_outcomes['a']?.failure_reason).toMatch(/unknown action.*file_write/)
    const carried = await runNodes(act('no_such_thing', 'on_error=continue'))
    expect(carried.status).toBe('success')
    const found = readPipeline(`digraph g { start [shape=Mdiamond] done [shape=Msquare] ${act('file_wrote')} }`, undefined, {
      actions: ['file_write'],
    })
    expect(found.findings.map(({ rule }) => rule)).toContain('action_known')
  })

  it('says which parameter is missing or of another kind', async () => {
    expect((await runNodes(act('file_write', 'param.path=x'))).failure_reason).toContain('it needs the parameter content')
    expect((await runNodes(act('tdd_record_attempt', 'param.iteration=soon'))).failure_reason).toContain('must be a number')
  })

  it('needs its own capability and what it touches', async () => {
    const write = act('file_write', 'param.path="x.txt", param.content=y')
    const less = await runNodes(write, { trust: 'probationary' })
    expect(less.failure_reason).toContain('arbor://action/file_write')
    const policy = (allow: string[], deny: string[] = []) => [{ file: 'p', allow, deny }]
    expect((await runNodes(write, { trust: 'probationary', policy: policy(['arbor://action/*']) })).status).toBe('success')
    expect((await runNodes(act('github_pr', 'param.title=t'), { policy: policy([], ['arbor://action/git_pr']) })).failure_reason).toContain(
      'arbor://action/git_pr',
    )
    expect((await runNodes(act('file_read', 'param.path="../../etc/passwd"'))).status).toBe('fail')
  })

  it('lets nothing from outside choose what it touches, but what it writes', async () => {
    const search = { search: { search: () => [{ title: 'evil', url: '/etc/passwd' }] } }
    const find = (keys: string) =>
      runNodes(
        `f [type=exec, target=action, action=web_search, param.query=q]
         t [type=transform, transform=json_extract, expression="0.url", source_key="exec.f.results", output_key="found.path"]
         c [type=transform, transform=identity, source_key="found.path", output_key="found.content"]
         a [type=exec, target=action, action=file_write, param.path="safe.txt", param.content=none, context_keys="${keys}"]
         start -> f -> t -> c -> a -> done`,
        { services: search },
      )
    expect((await find('found.path')).failure_reason).toContain('would decide what runs')
    expect((await find('found.content')).status).toBe('success')
  })
})

describe('an action of a host', () => {
  it('gets its parameters and services, and goes before one of the same name', async () => {
    const seen: unknown[] = []
    const went = await runNodes(act('git.pr', 'param.title=hello, param.count="3"'), {
      initial_values: { 'session.agent_id': 'ada' },
      actions: {
        git_pr: {
          parameters: { title: { kind: 'text', required: true }, count: { kind: 'number' } },
          run: (params, { agent, node, workdir, stage }) => {
            seen.push(params, agent, node, workdir !== '', stage.endsWith('/a'))
            return { url: 'https://example.test/1' }
          },
        },
      },
    })
    expect(seen).toEqual([{ title: 'hello', count: 3 }, 'ada', 'a', true, true])
    expect(went.context['exec.a.url']).toBe('https://example.test/1')
  })

  it('that throws fails its node; what speaks of the network is tried again', async () => {
    let times = 0
    const flaky = () => {
      times += 1
      if (times < 3) throw new Error('network timeout')
      return { ok: true }
    }
    const went = await runNodes(act('flaky', 'max_retries=3, retry_initial_delay="1ms", jitter=false'), { actions: { flaky } })
    expect([went.status, times]).toEqual(['success', 3])
    const broken = await runNodes(act('broken'), {
      actions: {
        broken: () => {
          throw new Error('it is broken')
        },
      },
    })
    expect(broken.failure_reason).toContain('it is broken')
    const odd = await runNodes(act('odd'), { actions: { odd: () => () => 1 } })
    expect(odd.status).toBe('fail')
  })
})

describe('files', () => {
  // proves: pipeline 13c
  it('are read, listed by a pattern and searched', async () => {
    const workdir = workFolder()
    for (const name of ['a.ts', 'b.md', 'c.ts']) writeFileSync(join(workdir, name), `one\nthe needle of ${name}\n`)
    const went = await runNodes(
      `r [type=exec, target=action, action=file_read, param.path="b.md"]
       g [type=exec, target=action, action=file_glob, param.pattern="*.ts"]
       s [type=exec, target=action, action=file_search, param.pattern=needle, param.glob="*.ts"]
       start -> r -> g -> s -> done`,
      { workdir },
    )
    expect(went.context).toMatchObject({
      'exec.r.content': 'one\nthe needle of b.md\n',
      'exec.r.size': 23,
      'exec.g.files': ['a.ts', 'c.ts'],
      'exec.s.count': 2,
      'exec.s.matches': [
        { path: 'a.ts', line: 2 },
        { path: 'c.ts', line: 2 },
      ],
    })
  })

  // proves: pipeline 13d
  it('are changed all together or not at all, as a model writes it down', async () => {
    const workdir = workFolder()
    const at = (name: string) => join(workdir, name)
    writeFileSync(at('a.txt'), 'red green blue')
    writeFileSync(at('b.txt'), 'same same')
    const apply = (changes: unknown) =>
      runNodes(act('apply_changes', 'context_keys=changes_json'), { workdir, initial_values: { changes_json: changes as string } })
    const good = await apply(
      `Here you are:\n\`\`\`json\n${JSON.stringify({
        changes: [
          { path: 'a.txt', old: 'green', new: 'yellow' },
          { file: 'new/c.txt', content: 'fresh' },
        ],
      })}\n\`\`\``,
    )
    expect(good.context).toMatchObject({ 'exec.a.applied': true, 'exec.a.files': ['a.txt', 'new/c.txt'] })
    expect([readFileSync(at('a.txt'), 'utf8'), readFileSync(at('new/c.txt'), 'utf8')]).toEqual(['red yellow blue', 'fresh'])
    for (const bad of [
      { path: 'b.txt', old: 'same', new: 'x' },
      { path: 'b.txt', old: 'gone', new: 'x' },
      { path: '../out.txt', content: 'x' },
    ]) {
      const went = await apply([{ path: 'a.txt', content: 'lost' }, bad])
      expect(went.status).toBe('fail')
      expect(readFileSync(at('a.txt'), 'utf8')).toBe('red yellow blue')
    }
    expect((await apply('I would change nothing')).failure_reason).toContain('not a list')
  })
})

describe('what writes and judges', () => {
  // proves: pipeline 13h
  it('counts attempts until they are used up, and asks for the next one with the last', async () => {
    const went = await runNodes(
      `p [type=exec, target=action, action=tdd_build_impl_prompt, context_keys="module_name,last_impl,last_failure", output_prefix=impl]
       r [type=exec, target=action, action=tdd_record_attempt, context_keys="iteration,max_iterations,current_impl,test_output"]
       start -> p -> r -> done`,
      {
        initial_values: {
          module_name: 'Stack',
          last_impl: 'return 1',
          last_failure: 'expected 2',
          iteration: 2,
          max_iterations: 3,
          current_impl: 'code',
          test_output: 'red',
        },
      },
    )
    for (const part of ['Stack', 'return 1', 'expected 2']) expect(went.context['impl.prompt']).toContain(part)
    expect(went.context).toMatchObject({
      'exec.r.iteration': 3,
      'exec.r.exhausted': true,
      'exec.r.last_impl': 'code',
      'exec.r.last_failure': 'red',
    })
  })

  // proves: pipeline 13i
  it('brings reviews together and keeps what only one has seen', async () => {
    const review = (id: string, ...findings: object[]) => ({
      id,
      status: 'success',
      context_updates: { last_response: JSON.stringify({ findings }) },
    })
    const shared = { title: 'No bound', file: 'a.ts', line: 3, severity: 'high' }
    const results = [review('x', shared), review('y', { ...shared, title: 'no bound' }, { title: 'Typo', severity: 'low' })]
    const went = await runNodes(act('review.synthesize', 'context_keys="parallel.results", output_prefix=review'), {
      initial_values: { 'parallel.results': results },
    })
    expect(went.context['review.counts']).toEqual({ reviewers: 2, findings: 2, agreed: 1, solitary: 1 })
    expect(went.context['review.report']).toMatch(/high.*No bound.*by x, y[\s\S]*Typo.*by y/)
  })

  // proves: pipeline 13i
  it('decides by the votes of branches as the node type does', async () => {
    const vote = (id: string, word: string) => ({
      id,
      status: 'success',
      context_updates: { last_response: JSON.stringify({ vote: word }) },
    })
    const decide = (votes: object[], more = '') =>
      runNodes(act('consensus.decide', `param.quorum=majority, context_keys="parallel.results", output_prefix=council${more}`), {
        initial_values: { 'parallel.results': votes as never },
      })
    const won = await decide([vote('a', 'approve'), vote('b', 'approve'), vote('c', 'reject')])
    expect(won.context).toMatchObject({ 'council.decision': 'approved', 'council.approve_count': 2 })
    expect((await decide([vote('a', 'approve'), vote('b', 'reject')])).status).toBe('fail')
    expect((await decide([vote('a', 'approve'), vote('b', 'reject')], ', param.mode=advisory')).context['council.decision']).toBe(
      'deadlock',
    )
  })

  // proves: pipeline 13f
  it('searches by the service of the host, and makes nothing up without one', async () => {
    const none = await runNodes(act('web_search', 'param.query=bees'))
    expect(none.failure_reason).toContain('no search is connected')
    const search = ({ query = '', provider = '' }: JsonObject) => [
      { title: `${renderText(query)} by ${renderText(provider)}`, url: 'https://example.test' },
    ]
    const went = await runNodes(act('tinyfish_search', 'param.query=bees'), { services: { search: { search } } })
    expect(went.context['exec.a.results']).toEqual([
      { rank: 1, title: 'bees by tinyfish_search', url: 'https://example.test', snippet: '', age: null },
    ])
  })

  // proves: pipeline 13i
  it('checks and runs a pipeline that came as text, with nothing but what it is handed', async () => {
    const inner =
      'digraph i { start [shape=Mdiamond] done [shape=Msquare] t [type=transform, transform=template, source_key=name, expression="hello {value}{ctx.secret}", output_key=said] start -> t -> done }'
    const values = { dot: inner, secret: 'hunter2', inputs: { name: 'Ada' } }
    const checked = await runNodes(act('pipeline.validate', 'context_keys=dot'), { initial_values: values })
    expect(checked.context).toMatchObject({ 'exec.a.valid': true, 'exec.a.node_count': 3 })
    const wrong = await runNodes(act('pipeline.validate', 'context_keys=dot'), { initial_values: { dot: 'digraph { a -> }' } })
    expect(wrong).toMatchObject({ status: 'success', context: { 'exec.a.valid': false } })
    const went = await runNodes(act('pipeline.run', 'context_keys="dot,inputs"'), { initial_values: values })
    expect(went.context).toMatchObject({ 'exec.a.status': 'success', 'exec.a.context': { said: 'hello Ada' } })
    expect(JSON.stringify(went.context['exec.a.context'])).not.toContain('hunter2')
  })
})
