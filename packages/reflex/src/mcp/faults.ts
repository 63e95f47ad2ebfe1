import { defineFaults } from '../kernel/index.ts'

const DURING = 'when a tool of an MCP server is called, or its server is pinned'
const ALLOW = 'Run `reflex mcp pin NAME`, read the list of tools, and add the line that it prints to a policy file of your own.'

/** Faults of MCP servers of others, whose tools programs call as `mcp.SERVER.TOOL`: R4500 to R4516. */
export const mcpFaults = defineFaults({
  R4500: {
    title: 'An MCP server is not allowed by the policy',
    verdict: 'fail',
    when: DURING,
    means:
      'A settings file beside programs may propose a server, and never starts one. A server is started only if a policy file that is not in the folder of the settings file names the same command or address, and the hashes of its package and its list of tools. Nothing was started.',
    often: 'a new server in reflex.config.json, a changed command, a policy file in the folder of the programs',
    fix: ALLOW,
  },
  R4501: {
    title: 'MCP servers need a package that is not installed',
    verdict: 'fail',
    when: DURING,
    means: 'Tools of MCP servers need the package @modelcontextprotocol/client, which is not installed with Reflex.',
    fix: 'Run `npm install @modelcontextprotocol/client`.',
  },
  R4502: {
    title: 'The package of an MCP server has changed',
    verdict: 'fail',
    when: DURING,
    means: 'The files that the command names are not those that the policy names by their hash. The server was not started.',
    often: 'an update of the package, a file of the server that somebody changed',
    fix: 'Find out why it changed. If the change is intended, run `reflex mcp pin NAME`, and replace the line in the policy.',
  },
  R4503: {
    title: 'The tools of an MCP server have changed',
    verdict: 'fail',
    when: DURING,
    means:
      'The server lists other tools than those that the policy names by the hash of their names, descriptions, schemas and annotations. The call was not sent; a server that changes its list while it runs is stopped.',
    often: 'an update of the server, a server that changes its descriptions after it was allowed',
    fix: 'Read the differences. If they are intended, run `reflex mcp pin NAME`, and replace the line in the policy.',
  },
  R4504: {
    title: 'An MCP server cannot be reached',
    verdict: 'retry',
    when: DURING,
    means: 'The server did not start, ended before it could be asked, or speaks no version of the protocol. The call was not sent.',
    often: 'a wrong command or address, a server that prints other text to its standard output, a missing variable',
    fix: 'Start the command by hand, and read what it prints to standard error.',
  },
  R4505: {
    title: 'An MCP server asks for authorization',
    verdict: 'fail',
    when: DURING,
    means:
      'The server answered 401 or 403. Reflex sends the token that the settings name, and starts no login by itself. The message quotes what the server asks for (WWW-Authenticate).',
    often: 'no token in the settings, an expired token, a token without the scope that the tool needs',
    fix: 'Set "token": "${NAME}" of the server, and put a valid token into this environment variable.',
  },
  R4506: {
    title: 'An MCP server did not answer in time',
    verdict: 'fail',
    when: DURING,
    means: 'The tool did not end within its time limit. The server was notified that the call is cancelled; what it did before stays.',
    fix: 'Give the server more time with "timeout", in milliseconds.',
  },
  R4507: {
    title: 'An MCP server gave an answer that cannot be used',
    verdict: 'fail',
    when: DURING,
    means:
      'The result does not fit the schema that the server declares for its tool, or is not a message of the protocol. No program gets it.',
    often: 'a mistake in the server, a request for a model (sampling), which Reflex refuses',
    fix: 'Report the mistake to the author of the server.',
  },
  R4508: {
    title: 'A tool of an MCP server failed',
    verdict: 'fail',
    when: DURING,
    means: 'The server performed the tool and reported an error. The message has its text, which is text from outside.',
    fix: 'Correct the arguments, or handle the failure in the program.',
  },
  R4509: {
    title: 'An answer of an MCP server is too large',
    verdict: 'fail',
    when: DURING,
    means: 'Messages of a server are limited, because results are stored in the journal. A server that exceeds the limit is stopped.',
    fix: 'Ask the tool for less, such as a page of its result.',
  },
  R4510: {
    title: 'A call of an MCP server was cancelled',
    verdict: 'fail',
    when: DURING,
    means: 'The run abandoned the call, and the server was notified.',
    fix: 'Nothing needs to be done.',
  },
  R4511: {
    title: 'An MCP server ends again and again',
    verdict: 'fail',
    when: DURING,
    means: 'The server ended several times without a successful call. It is not started again for a minute.',
    fix: 'Start the command by hand, and read what it prints to standard error.',
  },
  R4512: {
    title: 'The address of an MCP server is not allowed',
    verdict: 'fail',
    when: DURING,
    means:
      'An address of this machine, of a private network or of a cloud provider is reached only if the policy entry of the server says "private": true. Redirects are not followed. Nothing was sent there.',
    fix: 'If the address is intended, write "private": true into the entry of the server in the policy.',
  },
  R4513: {
    title: 'A variable that an MCP server needs is not set',
    verdict: 'fail',
    when: DURING,
    means: 'Settings refer to environment variables as ${NAME}, so that no file contains a secret. This variable is not set.',
    fix: 'Set the variable in the environment of the command.',
  },
  R4514: {
    title: 'An MCP server cannot be pinned',
    verdict: 'fail',
    when: 'with `reflex mcp pin`',
    means:
      'A server is allowed by the hash of the files that its command names. This command names none, or loads its package when it starts.',
    often: 'npx or uvx with a package that is not installed, a shell command line, code in an argument',
    fix: 'Install the package, and name its file: "command": "node", "args": ["node_modules/NAME/dist/index.js"].',
  },
  R4515: {
    title: 'The list of tools of an MCP server is missing',
    verdict: 'fail',
    when: DURING,
    means: 'The policy names the list of tools by its hash. No reflex.mcp.json beside the settings or the policy file contains it.',
    fix: 'Run `reflex mcp pin NAME`, or take the reflex.mcp.json from where the server was pinned.',
  },
  R4516: {
    title: 'The settings of an MCP server are not valid',
    verdict: 'fail',
    when: DURING,
    means: 'A server has either a command with arguments, or an http or https address.',
    fix: 'Correct the entry that the message names.',
  },
})
