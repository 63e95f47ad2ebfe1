"""Runs a command in a pseudo-terminal. Arguments: columns, a JSON list of [text to wait for, keys to send, [file, new content]], command.
The file of an item is saved before its keys are sent. Prints everything that was written to the terminal; ends with the exit code of the command."""
import fcntl, json, os, pty, select, signal, struct, sys, termios, time

columns, script, command = int(sys.argv[1]), json.loads(sys.argv[2]), sys.argv[3:]
pid, fd = pty.fork()
if pid == 0:
    # The size must stand before the command looks at it.
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 30, columns, 0, 0))
    os.execvp(command[0], command)
seen, mark, deadline = b"", 0, time.time() + 30
while time.time() < deadline:
    if script and script[0][0].encode() in seen[mark:]:
        mark = len(seen)
        _, keys, *saved = script.pop(0)
        for name, content in saved:
            with open(name, "w") as file:
                file.write(content)
        os.write(fd, keys.encode())
        continue
    if select.select([fd], [], [], 0.1)[0]:
        try:
            data = os.read(fd, 65536)
        except OSError:
            break
        if not data:
            break
        seen += data
else:
    os.kill(pid, signal.SIGKILL)
sys.stdout.buffer.write(seen)
sys.stdout.flush()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) & 0xFF)
