"""small_disk.py: a file system of a few megabytes, of its own: tmpfs, or ext4 in a file. Needs root."""
import os
import subprocess


class NoDisk(Exception):
    pass


def ran(*command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        raise NoDisk(done.stdout.decode(errors='replace').strip() or f'{command[0]} ended with {done.returncode}')


class SmallDisk:
    """with SmallDisk('tmpfs', folder, 8) as path: NoDisk where this machine cannot have one."""

    def __init__(self, kind, folder, megabytes):
        self.kind, self.path, self.image, self.megabytes = kind, os.path.join(folder, kind), os.path.join(folder, kind + '.image'), megabytes

    def __enter__(self):
        if os.geteuid():
            raise NoDisk('needs root')
        os.makedirs(self.path)
        if self.kind == 'tmpfs':
            ran('mount', '-t', 'tmpfs', '-o', f'size={self.megabytes}m', 'tmpfs', self.path)
        else:
            with open(self.image, 'wb') as file:
                file.truncate(self.megabytes << 20)
            try:
                ran('mkfs.ext4', '-q', '-m', '0', self.image)
                ran('mount', '-o', 'loop', self.image, self.path)
            except OSError as error:
                raise NoDisk(str(error)) from error
        return self.path

    def __exit__(self, *_):
        ran('umount', self.path)
