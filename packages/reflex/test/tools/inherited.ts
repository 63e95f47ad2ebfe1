import { systemHost } from '../../src/kernel/index.ts'
import { createTools } from '../../src/tools/index.ts'
import { runProcess } from '../../src/tools/process.ts'

// A process with inherited handles that runs a program and prints the handles that the program finds.
const [, , workdir = '/', which] = process.argv
const LOOK =
  'ls -l /proc/self/fd; ls /proc/self/fd/202/; cat /proc/self/fd/202/secret /proc/self/fd/77; echo x > /proc/self/fd/77; echo looked'
const PATH = '/usr/bin:/bin'
const { signal } = new AbortController()

if (which === 'host') {
  const request = { argv: ['/bin/sh', '-c', LOOK], cwd: '/', environment: { PATH }, timeout: 30_000, outputLimit: 10_000, signal }
  process.stdout.write((await runProcess(request, systemHost)).stdout)
} else {
  const call = {
    workdir,
    runFolder: `${workdir}/run`,
    signal,
    key: 'otter:1',
    part: () => undefined,
    allows: () => true,
    denies: () => false,
  }
  const tools = createTools({ host: systemHost, environment: { PATH } })
  process.stdout.write(JSON.stringify(await tools.prepare('shell', { command: LOOK, sandbox: 'strict' }).run(call)))
}
