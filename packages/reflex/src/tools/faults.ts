import { defineFaults } from '../kernel/index.ts'

const DURING = 'during a run'

/**
 * The tools' part of the catalogue (R4100 to R4149): calls, files (R4105 to R4115), git (R4120 to R4124), commands
 * (R4130 to R4134, R4138, R4144, R4145), requests (R4135 to R4137), changes of files (R4140), files that run by
 * themselves (R4143), hidden values (R4146).
 */
export const faults = defineFaults({
  R4100: {
    title: 'There is no such tool',
    verdict: 'fail',
    when: DURING,
    means: 'A program calls tools by name, and the operator decides which tools exist. Nothing was done.',
    often: 'a misspelling, a tool that is not registered with Reflex',
    fix: 'Correct the name, or register the tool with Reflex.',
  },
  R4101: {
    title: 'The arguments do not fit the tool',
    verdict: 'fail',
    when: DURING,
    means: 'The tool declares its arguments, and these do not fit. It was not called.',
    often: 'a misspelt argument, a board key with another value than expected',
    fix: 'Give the arguments that the message names.',
  },
  R4102: {
    title: 'A tool cannot be registered',
    verdict: 'fail',
    when: 'before a run',
    means:
      'A tool needs a unique name of letters, digits, points, dashes and underscores, and a rule for repeating a call: free, keyed or ask.',
    often: 'two tools with the same name, the name of a built-in tool, a misspelt rule',
    fix: 'Give the tool another name, or correct its rule.',
  },
  R4103: {
    title: 'A tool failed',
    verdict: 'fail',
    when: DURING,
    means: 'The tool threw an error that is not a fault of Reflex; the cause has its text.',
    fix: 'Read the cause.',
  },
  R4105: {
    title: 'The run has no access to a path',
    verdict: 'fail',
    when: DURING,
    means:
      'Access is decided for the real path, after following links, at the moment of opening. This real path is not granted; nothing was read or written there.',
    often: 'a link out of the work folder, a file that was replaced by a link meanwhile',
    fix: 'Copy the file below the work folder, or allow the real path in --policy FILE.',
  },
  R4106: {
    title: 'There is no such file or folder',
    verdict: 'fail',
    when: DURING,
    means: 'Relative paths start at the work folder, and those of file.write at the folder of the run.',
    often: 'a misspelling, another work folder than expected',
    fix: 'Correct the path.',
  },
  R4107: {
    title: 'The path is not of the kind that the tool needs',
    verdict: 'fail',
    when: DURING,
    means: 'Files are read and written, folders are listed. Devices, pipes and sockets are refused.',
    fix: 'Name a file where a file is needed, and a folder where a folder is needed.',
  },
  R4108: {
    title: 'The content is too large',
    verdict: 'fail',
    when: DURING,
    means: 'The result of a tool is stored on the board and in the journal, so its size is limited. Nothing was cut silently.',
    fix: 'Read a smaller file, or raise the limit if the tool has one.',
  },
  R4109: {
    title: 'The file is not text',
    verdict: 'fail',
    when: DURING,
    means: 'Text is UTF-8. The message gives the first byte that is not valid UTF-8.',
    often: 'an image or an archive, an old encoding',
    fix: 'Convert the file to UTF-8.',
  },
  R4110: {
    title: 'The file is not JSON',
    verdict: 'fail',
    when: DURING,
    means: 'json.read accepts plain JSON: no comments, no comma before a closing bracket.',
    fix: 'Correct the file at the place in the message.',
  },
  R4111: {
    title: 'A pointer names no value',
    verdict: 'fail',
    when: DURING,
    means: 'The JSON has no value at this pointer (RFC 6901, such as /scripts/build).',
    often: 'a misspelt key',
    fix: 'Name an existing value.',
  },
  R4112: {
    title: 'The system refused a file',
    verdict: 'fail',
    when: DURING,
    means: 'The policy allows the access, but the operating system refused it; the cause has its error.',
    often: 'permissions of the file, a full disk, a read-only disk',
    fix: 'Read the cause.',
  },
  R4115: {
    title: 'A path cannot be used',
    verdict: 'fail',
    when: DURING,
    means: 'A path is text without a zero byte, and not empty.',
    fix: 'Write another path.',
  },
  R4120: {
    title: 'Git is not installed',
    verdict: 'fail',
    when: DURING,
    means: 'The git tools run the command `git`, which is not on the PATH.',
    fix: 'Install git, or put it on the PATH.',
  },
  R4121: {
    title: 'The folder is not in a git repository',
    verdict: 'fail',
    when: DURING,
    means: 'Neither the folder nor a folder above it contains `.git`.',
    often: 'a folder that was downloaded as an archive',
    fix: 'Name a folder of a git repository, or create one with `git init`.',
  },
  R4122: {
    title: 'The repository has no commits yet',
    verdict: 'fail',
    when: DURING,
    means: 'There is no history to read.',
    fix: 'Commit something first.',
  },
  R4123: {
    title: 'A revision does not exist',
    verdict: 'fail',
    when: DURING,
    means: 'The text is not a branch, tag or hash of a commit in this repository.',
    often: 'a misspelt tag, a clone without tags or with only part of the history',
    fix: 'Name an existing commit; `git fetch --tags` fetches missing tags.',
  },
  R4124: {
    title: 'Git failed',
    verdict: 'fail',
    when: DURING,
    means: 'Git ended with an error; the cause has its text. It runs without hooks, helpers, pagers and network.',
    often: 'a damaged repository, a partial clone whose objects are elsewhere',
    fix: 'Read the cause.',
  },
  R4130: {
    title: 'A command cannot be started',
    verdict: 'fail',
    when: DURING,
    means: 'The program was not found on the PATH, or the user may not run it. Nothing was done.',
    often: 'a misspelling, a program that is not installed, a shell command line instead of a list of words',
    fix: 'Name an installed program, with its arguments as further words.',
  },
  R4131: {
    title: 'A command took too long',
    verdict: 'fail',
    when: DURING,
    means:
      'The command did not end in time, so it was killed together with everything that it had started. Changes that it made before remain.',
    often: 'a program that waits for input, a limit that is too low',
    fix: 'Give it more time with `timeout`, in milliseconds.',
  },
  R4132: {
    title: 'A command was cancelled',
    verdict: 'fail',
    when: DURING,
    means:
      'The run abandoned the effect while the command was running. The command was killed together with everything that it had started.',
    fix: 'Nothing needs to be done.',
  },
  R4133: {
    title: 'There is no sandbox for commands',
    verdict: 'fail',
    when: DURING,
    means:
      'Commands run in a sandbox, which bubblewrap creates on Linux. There is no sandbox on this machine, and this run may not run commands without one. Nothing was done.',
    often: 'bubblewrap is not installed, a container or a system that forbids user namespaces, a system other than Linux',
    fix: 'Install bubblewrap, for example with `apt install bubblewrap`, or trust the run: `--trust trusted`.',
  },
  R4134: {
    title: 'A command cannot be put into the sandbox',
    verdict: 'fail',
    when: DURING,
    means:
      'A sandbox opens the work folder and closes everything else. That is not possible with this work folder or for this command. Nothing was done.',
    often: 'a work folder that is the home folder or the root of the system',
    fix: 'Start Reflex in the folder of a project.',
  },
  R4135: {
    title: 'The run has no access to an address',
    verdict: 'fail',
    when: DURING,
    means:
      'A run may reach a host if `arbor://net/HOST` is granted. An address of this machine, of a private network or of a cloud provider counts as a separate host: it must be granted by name, and a star does not cover it. Nothing was sent there.',
    often: 'a redirect, a name that leads to a private address, http://localhost',
    fix: 'Allow the host in --policy FILE, and also the address if it is a private one.',
  },
  R4136: {
    title: 'An address does not answer',
    verdict: 'retry',
    when: DURING,
    means: 'The network or the server at the other end failed, or did not answer in time. The request may have arrived.',
    often: 'a server that is down, a misspelt name, a limit that is too low',
    fix: 'Try again, or give it more time with `timeout`, in milliseconds.',
  },
  R4137: {
    title: 'A request or its response cannot be used',
    verdict: 'fail',
    when: DURING,
    means: 'Requests go to http and https addresses without a password; responses are uncompressed text, after at most five redirects.',
    fix: 'Correct the address, or request another form of the response.',
  },
  R4143: {
    title: 'A file would run by itself',
    verdict: 'fail',
    when: DURING,
    means:
      'Programs of the host run some files, or read settings from them, automatically: files in `.git` and `.husky`, `.envrc`, `.vscode/tasks.json` and others, in any folder. A run needs a separate permission to write them. Nothing was written.',
    often: 'a program that sets up a project, an attack by a text that a model has read',
    fix: 'Write the file yourself, or allow `arbor://fs/autorun/PATH` in --policy FILE.',
  },
  R4144: {
    title: 'A command left entries that were removed',
    verdict: 'fail',
    when: DURING,
    means:
      'When a command in the sandbox has ended, Reflex removes the entries in its folders that a program of the host would run automatically or reach: new repositories, `.reflex`, `.envrc`, settings of editors, sockets, pipes, devices, setuid bits. The other effects of the command stay. Files are moved to another place; the message names it.',
    often: 'git init or git clone in a command, a server that does not remove its socket, a package with editor settings',
    fix: 'Allow `arbor://fs/autorun/PATH` in --policy FILE if the file should stay.',
  },
  R4145: {
    title: 'A change of a repository was not applied',
    verdict: 'fail',
    when: DURING,
    means:
      'A command works on a copy of the repository. When it ends, its objects, branches, tags, logs, HEAD and staged files are applied to the repository, unless they have changed there meanwhile; settings, hooks and references of servers are not applied. The objects of refused changes are kept: git finds a commit by its hash until its next clean-up.',
    often: 'two commands that commit to one branch at the same time, a commit of the user while the command ran, an unfinished rebase',
    fix: 'Show the commit with `git show HASH` and merge it; run commands that commit one after another.',
  },
  R4138: {
    title: 'A command exceeded its limits',
    verdict: 'fail',
    when: DURING,
    means:
      'A command in the sandbox, with everything that it starts, has 4 GiB of memory and 2,048 processes and threads, unless the policy sets other limits. The command exceeded a limit and was killed together with everything that it had started.',
    often: 'a build with too many parallel jobs, a program that starts itself again and again',
    fix: 'Reduce what the command uses, or raise "memory" or "processes" in "commands" of a policy file.',
  },
  R4140: {
    title: 'A change does not fit its file',
    verdict: 'fail',
    when: DURING,
    means: 'The text that a change replaces must occur in the file exactly once. No file was changed.',
    often: 'text that was not copied exactly, a file that has changed since it was read',
    fix: 'Read the file again, and give a text that is long enough to occur only once.',
  },
  R4146: {
    title: 'A hidden value is not there',
    verdict: 'fail',
    when: DURING,
    means:
      'A call refers to a value that no record has: a secret by its name, or a sealed value. The host has no secret with that name, or it is too short to be kept out of records, or the value was sealed by another user or on another machine. The tool was not called.',
    often: 'a misspelt name, a variable that is not set, a run that was imported from another machine',
    fix: 'Give the host the secret: `secretOf` of an application, or a variable for env://NAME. Start a run with sealed values again where its values are known.',
  },
})
