import { describe, expect, it } from 'vitest'
import { newFolder } from '../../../app/folders.ts'
import { type Calls, manifestOf, noted, onDisk } from './hidden.ts'

const TOKEN = 'tok-8f3a"99/ä 21'
const PIN = '4711-0815'
const SESSION = 'session-77aa88bb'

function tools(calls: Calls, fails = false): ReturnType<typeof noted>[] {
  return [
    noted(calls, 'mail.login', ({ token = '', pin = '' }) => ({ session: SESSION, said: `${token} and ${pin}` })),
    noted(calls, 'mail.post', ({ session = '' }) => {
      if (fails) throw new Error(`no mail with ${session}, ${TOKEN} and ${PIN}`)
      return { sent: true }
    }),
    noted(calls, 'mail.undo', () => null),
  ]
}

async function exported(reflex: ReturnType<typeof onDisk>['reflex'], run: string): Promise<string> {
  const lines: string[] = []
  for await (const line of reflex.export(run)) lines.push(line)
  return lines.join('\n')
}

describe('hidden values of a skill', () => {
  // proves: skill 33, skill 134
  it.each([false, true])('reach its tools, and no file, no trace and no result (a step fails: %s)', async (fails) => {
    const calls: Calls = []
    const { reflex, files } = onDisk({ tools: tools(calls, fails), secretOf: () => TOKEN })
    const handle = await reflex.run(manifestOf(), { input: { to: 'ana', pin: PIN }, skill: { draft: true } })
    const result = [handle.value, handle.failure]
    expect(handle.failure).toEqual(fails ? expect.anything() : undefined)
    expect(calls.slice(0, 2)).toEqual([
      ['mail.login', { token: TOKEN, pin: PIN, say: `pin ${PIN}` }],
      ['mail.post', { to: 'ana', session: SESSION }],
    ])
    if (fails) expect(calls[2]).toEqual(['mail.undo', { token: TOKEN, pin: PIN }])
    const archive = await exported(reflex, handle.id)
    const all = [
      files(),
      archive,
      JSON.stringify(result),
      JSON.stringify(await reflex.trace(handle.id)),
      JSON.stringify(await reflex.show(handle.id)),
    ]
    for (const secret of [TOKEN, JSON.stringify(TOKEN).slice(1, -1), Buffer.from(TOKEN).toString('latin1'), PIN, SESSION])
      for (const text of all) expect(text).not.toContain(secret)
    expect(archive).toContain('vault://mail/token')
    expect((await reflex.replay(handle.id)).difference).toBeUndefined()
  })

  // proves: skill 33
  it('need a permission, and are refused with their names alone', async () => {
    const calls: Calls = []
    const environment = { MAIL: 'short', MAIL_TOKEN: TOKEN }
    const surroundings = { environment } as never
    const input = { to: 'ana', token: 'env://MAIL_TOKEN' } as never
    const denied = await onDisk({ tools: tools(calls), surroundings }).reflex.run(manifestOf(), { input, skill: { draft: true } })
    expect([denied.failure?.message, calls]).toEqual([expect.stringContaining('arbor://secret/env/MAIL_TOKEN'), []])
    const { reflex, files } = onDisk({ tools: tools(calls), surroundings, policy: [{ allow: ['arbor://secret/**'], deny: [] }] })
    for (const [token, message] of [
      ['env://MAIL', 'has fewer than 8 characters'],
      ['env://NONE', 'there is no secret "env://NONE"'],
      ['vault://mail', 'there is no secret "vault://mail"'],
    ] as const) {
      const failed = await reflex.run(manifestOf(), { input: { to: 'ana', token }, skill: { draft: true } })
      expect([failed.failure?.message, calls]).toEqual([expect.stringContaining(message), []])
    }
    await reflex.run(manifestOf({ id: 'mail.again' }), { input, skill: { draft: true } })
    expect(calls[0]?.[1]).toMatchObject({ token: TOKEN })
    expect(files()).not.toContain(TOKEN)
  })

  // proves: skill 33
  it('are opened by another process of the same user, and by nobody else', async () => {
    const calls: Calls = []
    const workdir = newFolder()
    const first = onDisk({ workdir, tools: tools(calls), secretOf: () => TOKEN })
    const sealed = first.reflex
    const run = await sealed.run(manifestOf(), { input: { to: 'ana', pin: PIN }, skill: { draft: true } })
    const { records } = await sealed.runtime.history(run.id)
    const pin = (records[0]?.more?.start?.args as { readonly pin: string } | undefined)?.pin ?? ''
    expect(pin).toMatch(/^‹sealed /)
    const later = { to: 'bob', pin } as never
    await onDisk({ workdir, tools: tools(calls), secretOf: () => TOKEN }).reflex.run(manifestOf(), { input: later, skill: { draft: true } })
    expect(calls.at(-2)?.[1]).toMatchObject({ pin: PIN })
    calls.length = 0
    const other = onDisk({
      tools: tools(calls),
      secretOf: () => TOKEN,
      surroundings: { seal: (text: string) => `${text} of bob` } as never,
    })
    const refused = await other.reflex.run(manifestOf(), { input: later, skill: { draft: true } })
    expect([refused.failure?.message, calls]).toEqual([expect.stringContaining('was not sealed by this user'), []])
  })

  it('are no options of a command, and nobody is asked for them', async () => {
    const calls: Calls = []
    const plan = {
      steps: [{ id: 'a', tool: 'mail.post', args: { words: ['mail', '{{pin}}'] } }],
      compensation: 'none',
      irreversible_reason: 'mail is gone',
    }
    const signature = { inputs: [{ name: 'pin', type: 'string', sensitive: true }], outputs: [] }
    const manifest = manifestOf({
      plan: { idempotence_key: 'k:{{pin}}', ...plan },
      signature,
      preconditions: { tools_available: ['mail.post'] },
    })
    const { reflex } = onDisk({ tools: tools(calls) })
    const option = await reflex.run(manifest, { input: { pin: '--all-of-them' }, skill: { draft: true } })
    expect([option.failure?.message, calls]).toEqual([expect.stringContaining('begins with "-"'), []])
    expect(option.failure?.message).not.toContain('all-of-them')
    const missing = await reflex.run(manifest, { skill: { draft: true } })
    expect([missing.status, missing.failure?.message]).toEqual(['failed', expect.stringContaining('pin is sensitive')])
  })

  // proves: skill 142
  it('are in no file, however many come in, and by whichever way', async () => {
    const calls: Calls = []
    const { reflex, files } = onDisk({ tools: tools(calls, true), secretOf: (name) => `canary-${name.slice(8)}-of-secret` })
    const inputs = Array.from({ length: 24 }, (_, i) => `s${i}`)
    const pins = Array.from({ length: 8 }, (_, i) => `p${i}`)
    const names = [...inputs, ...pins]
    const args = Object.fromEntries(names.map((name) => [name, `{{${name}}}`]))
    // Each has an id of its own: a skill that fails again and again is taken out of use.
    const manifest = (n: number) =>
      manifestOf({
        id: `mail.send${n}`,
        signature: {
          inputs: [
            ...inputs.map((name) => ({ name, type: 'secret_ref' })),
            ...pins.map((name) => ({ name, type: 'string', sensitive: true, pattern: '[a-z0-9-]+' })),
          ],
          outputs: [],
        },
        preconditions: { tools_available: ['echo', 'fail'] },
        plan: {
          idempotence_key: 'k:{{p0}}',
          steps: [
            { id: 'echo', tool: 'echo', args },
            { id: 'fail', tool: 'fail', args },
          ],
          compensation: [{ when: 'any', for_step: 'echo', tool: 'echo', args }],
        },
      })
    reflex.tools.add(noted(calls, 'echo', (given) => ({ said: JSON.stringify(given), given })))
    reflex.tools.add(
      noted(calls, 'fail', (given) => {
        throw new Error(`no ${JSON.stringify(given)}`)
      }),
    )
    const archives: string[] = []
    for (let n = 0; n < 32; n++) {
      const given = [
        ...inputs.map((name) => [name, `vault://${n}/${name}`] as const),
        ...pins.map((name) => [name, `canary-${n}-${name}-of-pin`] as const),
      ]
      const run = await reflex.run(manifest(n), { input: Object.fromEntries<string>(given), skill: { draft: true } })
      expect(run.failure?.code).toBe('R1472')
      archives.push(await exported(reflex, run.id))
    }
    const seen = new Set(calls.flatMap(([, given]) => Object.values(given)))
    expect(seen.size).toBe(32 * 32)
    expect(files() + archives.join('\n')).not.toContain('canary-')
  })
})
