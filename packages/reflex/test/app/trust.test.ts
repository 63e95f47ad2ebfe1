import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Surroundings } from '../../src/app/host.ts'
import { digest, systemHost } from '../../src/kernel/index.ts'
import { Reflex } from '../../src/app/reflex.ts'
import { isFault } from '../../src/index.ts'
import { defineTool } from '../../src/tools/index.ts'

function folder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-trust-')))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  writeFileSync(join(path, 'ask.workflow.json'), JSON.stringify(PROGRAM))
  return path
}

const PROGRAM = {
  id: 'ask',
  entry: 'ask',
  nodes: {
    ask: { id: 'ask', spec: { ask: 'Go on?', options: [{ value: 'yes', event: 'YES' }] } },
    run: { id: 'run', spec: { tool: 'commit', args: {} } },
  },
  edges: [{ id: 'yes', from: 'ask', to: 'run', event: 'YES' }],
}

let workers = 0

/** Something that nobody below `trusted` may do. */
const commit = defineTool({
  name: 'commit',
  description: 'Commits.',
  leaves: true,
  repeat: 'keyed',
  needs: () => ['arbor://shell/exec/unsandboxed'],
  run: () => 'done',
})

/** Somebody on some machine, with a secret of their own. */
function somebody(cwd: string, secret: string): Surroundings {
  workers++
  return {
    host: systemHost,
    worker: { id: `w${workers}`, host: '', pid: 0 },
    cwd,
    environment: { PATH: '/usr/bin:/bin' },
    actor: 'ana',
    seal: (text) => digest(secret + text),
  }
}

async function asked(cwd: string, secret: string): Promise<void> {
  const reflex = new Reflex({ surroundings: somebody(cwd, secret), trust: 'trusted', tools: [commit] })
  const run = await reflex.run('ask.workflow.json', { id: 'ask-1abc' })
  expect(run.status).toBe('suspended')
  await reflex.close()
}

describe('more than the usual trust', () => {
  test('is kept for a resume by the user who gave it', async () => {
    const cwd = folder()
    await asked(cwd, 'mine')
    const reflex = new Reflex({ surroundings: somebody(cwd, 'mine'), tools: [commit] })
    const { handle } = await reflex.answer('last', 'yes')
    await handle?.idle()
    expect(handle?.status).toBe('completed')
    await reflex.close()
  })

  test('does not come with a store from somebody else', async () => {
    const cwd = folder()
    await asked(cwd, 'theirs')
    const reflex = new Reflex({ surroundings: somebody(cwd, 'mine'), tools: [commit] })
    const { handle } = await reflex.answer('last', 'yes')
    await handle?.idle()
    expect(handle?.questions[0]?.fault?.code).toBe('R3001')
    expect(handle === undefined ? undefined : handle.run.settings).toMatchObject({ trust: 'probationary', lowered: true })
    await reflex.close()
  })
})

test.each(['../evil', 'a/b', 'a@3', 'last', '', 'x'.repeat(65), '\u001b[2J'])('a run cannot be called %j', async (id) => {
  const cwd = folder()
  const reflex = new Reflex({ surroundings: somebody(cwd, 'mine'), store: 'memory:' })
  const refused: unknown = await reflex.run('ask.workflow.json', { id }).catch((thrown: unknown) => thrown)
  expect(isFault(refused) && refused.code).toBe('R2022')
  await reflex.close()
})
