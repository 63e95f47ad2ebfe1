import * as fc from 'fast-check'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { scriptedModel } from '../../src/models/index.ts'
import { isPath } from '../../src/app/host.ts'
import { redaction, secretsIn } from '../../src/policy/index.ts'
import { Reflex } from '../../src/app/reflex.ts'
import { defineTool } from '../../src/tools/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { start } from '../cli/worlds.ts'

const KEY = 'sk-live-7f3a"9921/x'

function folder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-secrets-')))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

const PROGRAM = {
  id: 'leak',
  entry: 'read',
  nodes: {
    read: { id: 'read', spec: { tool: 'env.read', args: { input: { from: 'given' } }, writes: 'found' } },
    ask: { id: 'ask', spec: { ask: 'What is {{found}}?', writes: 'answer' } },
    model: { id: 'model', spec: { prompt: 'Repeat {{answer}}', writes: 'said' } },
    fail: { id: 'fail', spec: { tool: 'env.fail' } },
  },
  edges: [
    { id: 'a', from: 'read', to: 'ask', event: 'A' },
    { id: 'b', from: 'ask', to: 'model', event: 'B' },
    { id: 'c', from: 'model', to: 'fail', event: 'C' },
  ],
}

const tools = [
  defineTool({
    name: 'env.read',
    description: 'says too much',
    leaves: false,
    repeat: 'free',
    run: (_, call) => {
      call.part({ progress: KEY })
      return { header: `Authorization: Bearer ${KEY}`, [KEY]: encodeURIComponent(KEY) }
    },
  }),
  defineTool({
    name: 'env.fail',
    description: 'fails with too much',
    leaves: false,
    repeat: 'free',
    run: () => {
      throw new Error(`401 for ${KEY}`)
    },
  }),
]

describe('secrets', () => {
  test('never enter a record, whichever way they come in', async () => {
    const cwd = folder()
    let prompt = ''
    const reflex = new Reflex({
      store: 'memory:',
      tools,
      secrets: ['correct horse battery'],
      model: scriptedModel((request) => {
        prompt = JSON.stringify(request.messages)
        return `it is ${KEY}`
      }),
      surroundings: {
        host: virtualHost(),
        worker: { id: 'w', host: '', pid: 0 },
        cwd,
        environment: { ACME_API_KEY: KEY, HOME: '/home/ana' },
        actor: 'ana',
      },
    })
    const run = await reflex.run(PROGRAM, { input: { given: `the key ${KEY}` }, id: 'leak' })
    const [question] = run.questions
    if (question === undefined) throw new Error('nothing is asked')
    expect(question.question.text).toContain('‹secret ')
    await run.answer(question, `correct horse battery and ${KEY}`, 'ana')
    await run.idle()
    const journal = JSON.stringify((await reflex.runtime.history('leak')).records)
    expect(journal).toMatch(/‹secret [0-9a-f]{4}›/)
    for (const form of [KEY, JSON.stringify(KEY).slice(1, -1), encodeURIComponent(KEY), 'correct horse battery'])
      expect(journal + prompt).not.toContain(form)
    expect(run.get('said')).toMatch(/^it is ‹secret [0-9a-f]{4}›$/)
    await reflex.close()
  })

  test('wait in no inbox, whoever holds the run that they are told to', async () => {
    const workdir = folder()
    writeFileSync(join(workdir, 'leak.workflow.json'), JSON.stringify({ ...PROGRAM, entry: 'ask' }))
    const reflex = new Reflex({
      workdir,
      store: join(workdir, 'reflex.db'),
      tools,
      surroundings: {
        host: virtualHost(),
        worker: { id: 'w', host: 'test', pid: 1 },
        cwd: workdir,
        environment: { A_KEY: KEY },
        actor: 'ana',
      },
    })
    onTestFinished(() => reflex.close())
    await reflex.run('leak.workflow.json', { id: 'otter' })
    await reflex.signal('otter', 'news', { key: KEY })
    await reflex.signal('otter', 'news', { key: KEY }, { run: false })
    const waiting = await reflex.store.inbox('otter')
    expect(waiting).toHaveLength(2)
    for (const { body } of waiting) expect(body).toEqual({ key: expect.stringMatching(/^‹secret [0-9a-f]{4}›$/) as string })
  })

  test('that come in parts are held back until they are whole, and what only began like one is told', async () => {
    const host = virtualHost()
    const speak = defineTool({
      name: 'env.speak',
      description: 'says too much, slowly',
      leaves: false,
      repeat: 'free',
      run: async (_, call) => {
        for (const text of ['the key is sk-li', 've-7f3a"9921', '/x and sk-live-7', 'f is no key, sk-l']) {
          call.part({ text })
          await host.advance(100)
        }
        call.part({ text: 'begun again sk-li' }, true)
        call.part({ text: 've' })
        return 'done'
      },
    })
    const reflex = new Reflex({
      store: 'memory:',
      tools: [speak],
      surroundings: {
        host,
        worker: { id: 'w', host: '', pid: 0 },
        cwd: folder(),
        environment: { ACME_API_KEY: KEY },
        actor: 'ana',
      },
    })
    const nodes = { say: { id: 'say', spec: { tool: 'env.speak' } } }
    await (await reflex.run({ id: 'speak', entry: 'say', nodes, edges: [] }, { id: 'speak' })).idle()
    const { records } = await reflex.runtime.history('speak')
    const parts = records.flatMap(({ input }) => (input?.[0] === 'part' ? [(input[2] as { readonly text: string }).text] : []))
    expect(parts).toEqual([
      'the key is ',
      expect.stringMatching(/^‹secret [0-9a-f]{4}› and $/),
      'sk-live-7f is no key, ',
      'begun again ',
      'sk-live',
    ])
    await reflex.close()
  })

  test('in parts are redacted as in the whole text, at any division into parts', () => {
    const secrets = ['abcabcabd', 'abdabdabdabc', 'cabcabcabdabdabdx']
    const hidden = redaction(secrets)
    if (hidden === undefined) throw new Error('nothing is hidden')
    const piece = fc.oneof(fc.constantFrom(...secrets), fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), maxLength: 6 }))
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), fc.array(fc.nat(9), { minLength: 1, maxLength: 30 }), (pieces, cuts) => {
        const whole = pieces.join('')
        const stream = hidden.value.stream?.()
        let [shown, at] = ['', 0]
        for (let i = 0; at < whole.length; i++) {
          const end = at + 1 + (cuts[i % cuts.length] ?? 0)
          shown += (stream?.take(whole.slice(at, end), false) as string | undefined) ?? ''
          at = end
        }
        expect(shown + ((stream?.end() as string | undefined) ?? '')).toBe(hidden.text(whole))
      }),
      { numRuns: 2000 },
    )
  })

  test('never reach a terminal, also where nothing was recorded', async () => {
    const cwd = folder()
    writeFileSync(join(cwd, 'x.workflow.json'), `{"id": "x", "entry": "${KEY.replaceAll('"', '\\"')}"`)
    const { code, raw } = await start(['validate', 'x.workflow.json'], { folder: cwd, environment: { MY_TOKEN: KEY } }).ended
    expect(code).toBe(1)
    expect(raw).toContain('‹secret ')
    expect(raw).not.toContain('7f3a')
  })

  test('are what the names of variables say, and no paths and no short words', () => {
    const environment = {
      OPENAI_API_KEY: 'sk-12345678',
      token: 'abcdefgh',
      DB_PASSWORD: 'longenough',
      KEYBOARD: 'qwertzuiop',
      SSH_KEY: '/home/ana/key',
      A_SECRET: 'short',
    }
    expect(secretsIn(environment, (value) => value === '/home/ana/key')).toEqual(['sk-12345678', 'abcdefgh', 'longenough'])
    expect(secretsIn(environment)).toContain('/home/ana/key')
  })

  test.each([
    ['PGPASSWORD', 'correct-horse', ['correct-horse']],
    ['MYSQL_PWD', 'correct-horse', ['correct-horse']],
    ['GITHUB_PAT', 'correct-horse', ['correct-horse']],
    ['AWS_CREDENTIALS', 'correct-horse', ['correct-horse']],
    ['DB_PASS', 'correct-horse', ['correct-horse']],
    ['DATABASE_URL', 'postgres://ana:correct-horse@db/app', ['correct-horse', 'ana:correct-horse']],
    ['DATABASE_URL', 'postgres://ana:p%40ss%2Fword@h1,h2:5432/app', ['p%40ss%2Fword', 'p@ss/word']],
    ['ANYTHING', 'mongodb+srv://ana:sh@rt@db/app', ['ana:sh@rt']],
    ['PROXY', 'jdbc:postgresql://db/app?user=ana&password=correct-horse&ssl=1#x', ['correct-horse']],
    ['REMOTE', 'https://0123456789abcdef0123456789@git.example/a', ['0123456789abcdef0123456789']],
    ['dbPassword', 'correct-horse', ['correct-horse']],
    ['GITHUBTOKEN', 'correct-horse', ['correct-horse']],
    ['DEPLOY_PRIVATEKEY', 'correct-horse', ['correct-horse']],
    ['SLACK_WEBHOOK_URL', 'https://hooks.example/T0/B0/correct-horse', ['https://hooks.example/T0/B0/correct-horse']],
    ['STORAGE', 'Endpoints=https;AccountName=ana;AccountKey=correct+horse==;Suffix=x', ['correct+horse==']],
    ['MSSQL', 'Server=db;User Id=sa;Pwd=correct-horse;', ['correct-horse']],
    ['TLS_KEY', '-----BEGIN KEY-----\nMIIEcorrectHorseBattery\n-----END KEY-----', ['MIIEcorrectHorseBattery']],
  ])('are known by the name of %s, or in its address: %s', (name, value, secrets) => {
    expect(secretsIn({ [name]: value })).toEqual(expect.arrayContaining([value, ...secrets]))
    const hidden = redaction(secretsIn({ [name]: value }))
    expect(hidden?.text(`a ${value} b ${secrets.join(' c ')}`)).toMatch(/^a ‹secret [0-9a-f]{4}› b/)
    for (const secret of secrets) expect(hidden?.text(`it is ${secret}.`)).not.toContain(secret)
  })

  test.each([
    ['PWD', '/work/project'],
    ['OLDPWD', '/work/project'],
    ['SSH_AUTH_SOCK', '/tmp/ssh-1/agent.2'],
    ['REMOTE', 'ssh://git@git.example/a'],
    ['DATABASE_URL', 'postgres://postgres@localhost/app?sslmode=require'],
    ['PATH', '/usr/bin:/bin'],
    ['COMPASS', 'north-by-north'],
    ['MAX_TOKENS', '100000000'],
    ['HOTKEY', 'control-alt-k'],
    ['LS_COLORS', 'rs=0:di=01;34:ln=01;36:tw=30;42'],
  ])('%s=%s is no secret', (name, value) => {
    expect(secretsIn({ [name]: value })).toEqual([])
  })

  test('may look like paths; a path is what lies somewhere', async () => {
    const cwd = folder()
    writeFileSync(join(cwd, 'key.pem'), '')
    const environment = { A_KEY: '/+9jZm5vIGZpbGU=', B_KEY: join(cwd, 'key.pem'), C_KEY: '~/nothing-of-this-name' }
    expect(secretsIn(environment, isPath)).toEqual(['/+9jZm5vIGZpbGU=', '~/nothing-of-this-name'])
    const { raw } = await start(['validate', `${environment.A_KEY.slice(1)}.workflow.json`, join(cwd, 'key.pem')], {
      folder: cwd,
      environment,
    }).ended
    expect(raw).toContain('key.pem')
  })

  test.each([
    ['a form', 'k=sk-live%3F+a%22%C3%BC%2F%7E9'],
    ['a form in small letters', 'k=sk-live%3f+a%22%c3%bc%2f%7e9'],
    ['an address', 'sk-live%3F%20a%22%C3%BC%2F~9'],
    ['an address in small letters', 'sk-live%3f%20a%22%c3%bc%2f~9'],
    ['JSON', JSON.stringify('sk-live? a"ü/~9')],
    ['JSON in JSON', JSON.stringify(JSON.stringify('sk-live? a"ü/~9'))],
    ['base64', Buffer.from('sk-live? a"ü/~9').toString('base64')],
    ['base64 of addresses', Buffer.from('sk-live? a"ü/~9').toString('base64url')],
  ])('are found in the form that they have in %s', (_, text) => {
    const hidden = redaction(['sk-live? a"ü/~9'])
    expect(hidden?.text(`<${text}>`)).toMatch(/^<(?:k=|\\?"|"\\")?‹secret [0-9a-f]{4}›(?:\\?"|\\""|=*)?>$/)
  })

  test('are not looked for in what stands in their place', () => {
    const once = redaction(['a-long-one'])?.text('a-long-one') ?? ''
    const hidden = redaction(['a-long-one', once.slice(1, 10)])
    expect(hidden?.text(hidden.text('a-long-one'))).toBe(once)
  })

  test('redacting twice is redacting once, and leaves the rest as it was', () => {
    const hidden = redaction(['abcdefgh', 'abcdefghij'])
    if (hidden === undefined) throw new Error('nothing is hidden')
    const text = fc.array(fc.constantFrom('abcdefgh', 'abcdefghij', 'x', '‹', 'ij')).map((parts) => parts.join(''))
    fc.assert(
      fc.property(fc.jsonValue(), text, (value, more) => {
        const given = [JSON.parse(JSON.stringify(value)), { [more]: more }]
        const once = hidden.value(given)
        expect(JSON.stringify(once)).not.toContain('abcdefgh')
        expect(hidden.value(once)).toBe(once)
        if (!JSON.stringify(given).includes('abcdefgh')) expect(once).toBe(given)
      }),
    )
  })
})
