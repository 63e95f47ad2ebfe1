import { systemHost } from '../../src/kernel/index.ts'
import { createTools } from '../../src/tools/index.ts'

// A process that runs a command in the sandbox until it is killed.
const [, , workdir = '/', command = 'true'] = process.argv
const { signal } = new AbortController()
const allows = (capability: string): boolean => !/unsandboxed|autorun/.test(capability)
const call = {
  workdir,
  runFolder: `${workdir}/.reflex/runs/otter`,
  signal,
  key: 'otter:1',
  part: () => undefined,
  allows,
  denies: () => false,
}
const tools = createTools({ host: systemHost, environment: { PATH: '/usr/bin:/bin' } })
await tools.prepare('shell', { command }).run(call)
